#pragma once
#include "optim/minimizer.hpp"

namespace pithball::optim {

/// Minimises L(θ) by L-BFGS with a Wolfe line search on gradients alone: the method for many parameters. Bounds are
/// kept by a smooth substitution θ(u) that maps all real u into the open interval (logistic between two bounds,
/// softplus beside one); a start on a bound is moved inside by 1e-6 of the interval (of 1 beside one bound). Failures
/// as in `levenberg_marquardt`. (Ceres underneath.)
MinimizerReport lbfgs(const Objective& objective, const Vector& start, const Bounds& bounds = {},
                      const MinimizerOptions& options = {});

}  // namespace pithball::optim
