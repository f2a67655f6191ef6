#pragma once
#include "sim/linear/conjugate_gradients.hpp"

namespace pithball::sim {

/// What became of a solve by GMRES.
struct GmresReport {
  int iterations = 0;
  double relative_residual = 0;  ///< |b − A x| / |b|
  bool converged = false;
};

/// Solves A x = b for any regular A, known by its products only, by the generalized minimal residual method (Saad and
/// Schultz 1986) with preconditioning from the right, from x = 0. Begins again from the x reached after `restart`
/// iterations, which bounds its memory. Where b is not finite, neither x nor the residual is.
GmresReport solve_gmres(const LinearOperator& A, const Preconditioner& P, const Points& b, const SolveLimits& limits,
                        Points& x, int restart = 60);

}  // namespace pithball::sim
