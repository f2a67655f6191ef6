#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "experiments/captured/trunk_decay/release.hpp"
#include "experiments/captured/trunk_decay/truss.hpp"
#include "optim/fit/problem.hpp"

namespace pithball::experiments::trunk_decay {

using Releases = std::vector<const Release*>;

/// [1/s] Weight e^{1.5 t} of small swings: about the decay rate, so that late swings count like early ones.
inline constexpr double small_swing_growth = 1.5;
inline constexpr double coarse_step = 0.01;  ///< [s]

/// Where the fitted part of a release begins: `small_swing_start` or `first_opposite_peak`.
using FirstFrame = Index (*)(const Release&);
Index small_swing_start(const Release& release);

/// How many frames of a release are fitted from that one on.
Index frames_from(const Release& release, Index first);

/// The fit of one truss: one stiffness, one damping and one own mass for all releases, each as a factor on the truss's
/// starting values; and one dry friction, if the truss rubs. Frames count by e^{weight_growth t}.
optim::FitProblem make_problem(const Truss& truss, const Releases& releases, FirstFrame first, double time_step,
                               double weight_growth);

/// Small swings and swings from the first opposite peak of the same releases in one problem. Each window counts by its
/// own size: σ is a tenth of its tip's root mean square distance from rest.
optim::FitProblem make_problem_of_both(const Truss& truss, const Releases& releases, double time_step);

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
