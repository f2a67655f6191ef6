#pragma once
#include <string>
#include <vector>

#include "app/experiment/fit_spec.hpp"
#include "optim/identity/identity_report.hpp"
#include "optim/search/minimizer.hpp"
#include "optim/verdict/run_verdict.hpp"

namespace pithball::app {

/// A fit whose identities were found.
struct IdentifiedFit {
  FitSpec spec;                                        ///< its problem has labelled recordings
  std::vector<optim::RecordingIdentities> identities;  ///< of the recordings whose identities were open
};

/// Whether the identities of any recording are to be found.
bool has_open_identities(const FitSpec& spec);

/// Finds the identities of a fit's recordings (optim/identity/find_identities.hpp). Everything that follows is as if
/// the recordings had been labelled so.
IdentifiedFit find_fit_identities(const FitSpec& spec, const optim::MinimizerWatch& watch);

/// identities.csv: a row for each particle that a detection can be, with the columns
///    recording, frame, detection, particle, probability, chosen
/// frames in the words of the recording, detections as counted from 0 in their frame of the file, an empty particle for
/// a false detection, and chosen 1 for what the fit used.
std::string identity_table(const FitSpec& spec, const std::vector<optim::RecordingIdentities>& identities);

/// Makes a good fit doubtful where two particles may be exchanged in all frames, where less than half of what the
/// motion shows was detected, or where a particle is lost, though in the picture, for a fifth of a recording's frames:
/// a motion that left the points behind fits what remains of them.
void judge_identities(const FitSpec& spec, const std::vector<optim::RecordingIdentities>& identities,
                      optim::RunVerdict& verdict);

}  // namespace pithball::app
