#pragma once
#include "optim/search/minimizer.hpp"

namespace pithball::optim {

/// Minimizes L(θ) by L-BFGS with a Wolfe line search on gradients alone: the method for many parameters. Bounds are
/// kept by a smooth substitution θ(u); a start on a bound is moved inside by 1e-2 (of the interval between two bounds),
/// where the substitution has a slope. Failures as in `levenberg_marquardt`. (Ceres underneath.)
MinimizerReport lbfgs(const Objective& objective, const Vector& start, const Bounds& bounds = {},
                      const MinimizerOptions& options = {});

}  // namespace pithball::optim
