#pragma once
#include <string>
#include <vector>

#include "optim/fit/report.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Turns a recording of the problem into a validation recording: none of its frames are fitted; its own nuisance
/// initial state becomes a StartFit to the first quarter of its frames (at least three, at most all but one); its own
/// placement stays as registered.
void judge_recording(FitProblem& problem, std::size_t recording);

/// The recordings of a fit, with the initial states of validation recordings.
struct JudgedStarts {
  std::vector<diff::Scenario> scenarios;  ///< as in the fit, with the estimated initial states
  std::vector<Observation> observations;  ///< the frames used for an initial state count as fitted
  std::vector<FoundStart> found;          ///< the estimated initial states, by recording
  std::vector<std::string> notes;         ///< recordings without an estimate
};

/// Fits the initial states of `FitProblem::start_fits` with the parameters held at θ. The errors of the later frames
/// then measure how well θ predicts a recording that was not fitted.
JudgedStarts find_judged_starts(const ResolvedFit& fit, const Vector& theta, const MinimizerWatch& watch = {});

/// The scenarios of a report: at its θ, with the initial states estimated for it.
std::vector<diff::Scenario> fitted_scenarios(const ResolvedFit& fit, const FitReport& report);

}  // namespace pithball::optim
