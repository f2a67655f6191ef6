#pragma once
#include <string>
#include <vector>

#include "app/experiment/fit_spec.hpp"
#include "app/result/fit_record.hpp"
#include "optim/verdict/run_verdict.hpp"

namespace pithball::app {

/// What is known of a fit's recordings before its search.
struct FitScreening {
  std::vector<RecordingFinding> findings;  ///< in the order of the recordings
  /// Notes with the results: FitSpec::doubts, less those on units and placement of recordings for which a finding says
  /// it better. Remarks stand in the list of findings alone.
  std::vector<std::string> doubts;

  /// What to print before the search, one line each: the faults that the file does not answer, and the notes.
  std::vector<std::string> sentences() const;
};

/// Findings in the samples of all recordings that are not planned (optim/screening), and charged particles that are
/// pinned; without a simulation.
std::vector<RecordingFinding> screen_samples(const FitSpec& spec);

/// The same, and findings of one simulation of each recording at the start values.
FitScreening screen_fit(const FitSpec& spec);

/// Throws InvalidArgument if the times of a recording are read in another unit than they have, and the file does not
/// answer that: a search would simulate a thousand times as long as the recording is, for nothing.
void require_time_units(const FitScreening& screening);

/// Makes a good fit doubtful if a fault is left that the file does not answer; on any verdict, it becomes the first
/// reason.
void judge_findings(const std::vector<RecordingFinding>& findings, optim::RunVerdict& verdict);

/// Adds to the verdict on a fit that could not evaluate its start what `simulate` says of the first recording whose run
/// fails there: how it failed, and the remedy. `theta`: where the search began. No other verdict changes.
void explain_failed_start(const FitSpec& spec, const optim::Vector& theta, optim::RunVerdict& verdict);

}  // namespace pithball::app
