#pragma once
#include "optim/search/minimizer.hpp"

namespace pithball::optim {

/// Minimizes L(θ) by L-BFGS with a Wolfe line search that uses only gradients: the method for many parameters. Bounds
/// are enforced by a smooth substitution θ(u); a start on a bound is moved inside by 1e-2 (of the interval between two
/// bounds), where the substitution has a nonzero slope. Failures as in `levenberg_marquardt`. (Based on Ceres.)
MinimizerReport lbfgs(const Objective& objective, const Vector& start, const Bounds& bounds = {},
                      const MinimizerOptions& options = {}, const MinimizerWatch& watch = {});

}  // namespace pithball::optim
