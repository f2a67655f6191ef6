#pragma once
#include <string>
#include <vector>

#include "optim/fit/fit.hpp"

namespace pithball::optim {

/// Makes a recording of the problem one that is only judged: all of it is forecast, the nuisance states that are its
/// own become a StartFit to the first quarter of its frames (three at least, all but one at most), and a placement of
/// its own stays where it was registered.
void judge_recording(FitProblem& problem, std::size_t recording);

/// The recordings of a fit with the starts of those that are only judged.
struct JudgedStarts {
  std::vector<diff::Scenario> scenarios;  ///< as given to the fit, but for the starts that were found
  std::vector<Observation> observations;  ///< the frames that a start was found from count as fitted
  std::vector<FoundStart> found;          ///< the starts, by recording
  std::vector<std::string> notes;         ///< where none was found
};

/// Fits the starts of `FitProblem::start_fits` with the parameters held at θ: what a recording that took no part says
/// of θ is how far its later frames are from where its own first frames lead.
JudgedStarts find_judged_starts(const ResolvedFit& fit, const Vector& theta);

/// The scenarios that a report means: at its θ, with the starts that were found for it.
std::vector<diff::Scenario> fitted_scenarios(const ResolvedFit& fit, const FitReport& report);

}  // namespace pithball::optim
