#pragma once
#include <string>
#include <vector>

#include "app/experiment/fit_spec.hpp"
#include "app/result/fit_record.hpp"
#include "optim/verdict/run_verdict.hpp"

namespace pithball::app {

/// What is known about a fit's recordings before its search.
struct FitScreening {
  std::vector<RecordingFinding> findings;  ///< in the order of the recordings
  /// Notes to print with the results: FitSpec::doubts without those on units and placement of recordings for which a
  /// finding says more. Remarks appear only in the list of findings.
  std::vector<std::string> doubts;

  /// What to print before the search, one line each: the faults that the file does not answer, and the notes.
  std::vector<std::string> sentences() const;
};

/// Findings in the samples of all recordings that are not planned (optim/screening), and charged particles that are
/// pinned; without a simulation.
std::vector<RecordingFinding> screen_samples(const FitSpec& spec);

/// The same, and findings of one simulation of each recording at the start values.
FitScreening screen_fit(const FitSpec& spec);

/// Throws InvalidArgument if the times of a recording are read in the wrong unit and the file does not answer that
/// finding: a search would simulate a thousand times the duration of the recording in vain.
void require_time_units(const FitScreening& screening);

/// Makes a good fit doubtful if a fault is left that the file does not answer; on any verdict, it becomes the first
/// reason.
void judge_findings(const std::vector<RecordingFinding>& findings, optim::RunVerdict& verdict);

/// If a fit could not evaluate its start, adds to its verdict what `simulate` says about the first recording whose run
/// fails there: how it failed, and the remedy. `theta`: where the search began. Other verdicts do not change.
void explain_failed_start(const FitSpec& spec, const optim::Vector& theta, optim::RunVerdict& verdict);

}  // namespace pithball::app
