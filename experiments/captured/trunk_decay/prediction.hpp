#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "experiments/captured/trunk_decay/problem.hpp"

namespace pithball::experiments::trunk_decay {

/// The fit of one truss to a choice of releases.
using MakeProblem = std::function<optim::FitProblem(const Releases&)>;

/// Small-swing tip frequency [Hz] and decay [1/s] that the fitted truss (θ of `problem_of`) has at a load [g]: of the
/// damped sinusoid fitted to its tip over one second, begun like the given release.
struct TipSwing {
  double frequency, decay;
};
TipSwing predict_tip(const MakeProblem& problem_of, const sim::Vector& theta, const Release& like, Index load);

/// The prediction at a load of which there is no recording, with intervals by the bootstrap over releases (Efron 1979):
/// the fit is repeated on as many releases drawn with replacement, load by load; the interval runs from the 2.5th to
/// the 97.5th percentile. Without repetitions there is no interval.
nlohmann::json predict_load(const MakeProblem& problem_of, const Releases& fitted, const sim::Vector& theta, Index load,
                            int repetitions);

}  // namespace pithball::experiments::trunk_decay
