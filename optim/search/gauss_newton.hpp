#pragma once
#include "optim/search/minimizer.hpp"

namespace pithball::optim {

/// Minimizes L = ½|r(θ)|² by Gauss–Newton steps without a Jacobian: the method for many parameters if the results
/// should be as accurate as those of `levenberg_marquardt`. Each step s solves the damped normal equations
///    (JᵀJ + λD) s = −Jᵀr
/// by conjugate gradients, preconditioned by D, an estimate of diag JᵀJ computed once at the start; an iteration costs
/// one product with J and one with Jᵀ (`Linearization`). The iteration ends early, at a tenth of the gradient (an
/// inexact Newton method, Dembo, Eisenstat & Steihaug 1982). If the whole step does not lower L, the iterates of the
/// conjugate gradients after 1, 2, 4, … iterations are tried, the longest first; such a shorter step never ends the
/// search, however little L decreases. λ follows the ratio of actual to predicted decrease (Nielsen 1999). Parameters
/// on a bound are held while the gradient pushes outward; others are projected onto their bounds. Failures as in
/// `levenberg_marquardt`.
MinimizerReport gauss_newton(const Residual& residual, const Vector& start, const Bounds& bounds = {},
                             const MinimizerOptions& options = {}, const MinimizerWatch& watch = {});

}  // namespace pithball::optim
