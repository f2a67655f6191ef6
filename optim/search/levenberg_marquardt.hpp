#pragma once
#include "optim/search/minimizer.hpp"

namespace pithball::optim {

/// Minimizes L = ½|r(θ)|² by Levenberg–Marquardt with the dense Jacobian and a QR factorization: the method for up to a
/// few hundred parameters. Bounds are kept by projection, and parameters that come to
/// rest on one are held there while the others converge. A point that cannot be evaluated counts as a step that does
/// not help, and a shorter one is tried; only a start that cannot be evaluated is a failure. Throws InvalidArgument on
/// a start of the wrong size or outside the bounds. (Ceres underneath.)
MinimizerReport levenberg_marquardt(const Residual& residual, const Vector& start, const Bounds& bounds = {},
                                    const MinimizerOptions& options = {});

}  // namespace pithball::optim
