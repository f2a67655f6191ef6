#pragma once
#include "optim/search/minimizer.hpp"

namespace pithball::optim {

/// Minimizes L = ½|r(θ)|² by Levenberg–Marquardt with the Jacobian: the method for up to a few hundred parameters, with
/// a QR factorization, or for more than 300 in a residual of several parts (`Residual::structure`), with a sparse
/// Cholesky factorization of the normal equations. Parameters of blocks of more than one should not have bounds. Bounds
/// are enforced by projection, and parameters that reach a bound are held there while the others converge. If a point
/// cannot be evaluated, the step counts as unsuccessful and a shorter one is tried; only a start that cannot be
/// evaluated is a failure. Throws InvalidArgument on a start with the wrong size or outside the bounds. (Based on
/// Ceres.)
MinimizerReport levenberg_marquardt(const Residual& residual, const Vector& start, const Bounds& bounds = {},
                                    const MinimizerOptions& options = {}, const MinimizerWatch& watch = {});

}  // namespace pithball::optim
