#pragma once
#include "optim/search/minimizer.hpp"

namespace pithball::optim {

/// Minimizes L = ½|r(θ)|² by Gauss–Newton steps without a Jacobian: the method for many parameters where answers shall
/// be as good as those of `levenberg_marquardt`. Each step s solves the damped normal equations
///    (JᵀJ + λD) s = −Jᵀr
/// by conjugate gradients, preconditioned by D, an estimate of diag JᵀJ made once, at the start; an iteration costs one
/// product with J and one with Jᵀ (`Linearization`). They end early, at a tenth of the gradient (an inexact Newton
/// method, Dembo, Eisenstat & Steihaug 1982). Where the whole step does not lower L, what the conjugate gradients had
/// after 1, 2, 4, … iterations is tried, the longest first; such a shorter step never ends the search, however little L
/// falls. λ follows the ratio of actual to predicted decrease (Nielsen 1999). Parameters that lie on a bound while the
/// gradient pushes outwards are held, others are projected onto their bounds. Failures as in `levenberg_marquardt`.
MinimizerReport gauss_newton(const Residual& residual, const Vector& start, const Bounds& bounds = {},
                             const MinimizerOptions& options = {});

}  // namespace pithball::optim
