#pragma once
#include "sim/linear/preconditioner.hpp"

namespace pithball::sim {

/// What became of a solve by conjugate gradients.
struct CgReport {
  int iterations = 0;
  double relative_residual = 0;  ///< |b − A x| / |b|
  bool converged = false;
  bool negative_curvature = false;  ///< a direction p with pᵀA p <= 0 was met; it is left in `direction`
};

/// Solves A x = b by preconditioned conjugate gradients (Hestenes and Stiefel 1952) from x = 0 until |r| <= tolerance |b|. On negative
/// curvature it stops with the x reached so far and the direction. Dot products are summed in one order, so results do not depend on threads.
CgReport solve_conjugate_gradients(const BlockMatrix& A, const Preconditioner& P, const Points& b, double tolerance,
                                   int max_iterations, Points& x, Points* direction = nullptr);

}  // namespace pithball::sim
