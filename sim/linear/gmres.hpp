#pragma once
#include "sim/linear/conjugate_gradients.hpp"

namespace pithball::sim {

/// Result of a solve by GMRES.
struct GmresReport {
  int iterations = 0;            ///< over all cycles, one product with A each
  double relative_residual = 0;  ///< |b − A x| / |b|
  bool converged = false;        ///< the residual met the tolerance
};

/// Solves A x = b for any nonsingular A, given only by its products, by the generalized minimal residual method (Saad
/// and Schultz 1986) with right preconditioning, from x = 0. Restarts from the current x after `restart` iterations,
/// which limits memory. If b is not finite, neither x nor the residual is.
GmresReport solve_gmres(const LinearOperator& A, const Preconditioner& P, const Points& b, const SolveLimits& limits,
                        Points& x, int restart = 60);

}  // namespace pithball::sim
