#pragma once
#include <functional>

#include "sim/linear/preconditioner.hpp"

namespace pithball::sim {

/// Result of a solve by conjugate gradients.
struct CgReport {
  int iterations = 0;               ///< number of updates of x
  double relative_residual = 0;     ///< |b − A x| / |b|
  bool converged = false;           ///< the residual met the tolerance
  bool negative_curvature = false;  ///< a direction p with pᵀA p <= 0 was found; it is in `direction`
};

/// Stopping criteria of an iterative solve.
struct SolveLimits {
  double tolerance;    ///< on |b − A x| / |b|
  int max_iterations;  ///< beyond it the solve has failed
};

/// out = A in for a symmetric A given only by its products.
using LinearOperator = std::function<void(const Points& in, Points& out)>;

/// Preconditioned conjugate gradients (Hestenes and Stiefel 1952), and the arrays that they need, for one solve after
/// the other.
class ConjugateGradients {
 public:
  /// Solves A x = b from x = 0. On negative curvature it stops and returns the current x and the direction. Dot
  /// products are summed in a fixed order, so results do not depend on the number of threads.
  CgReport solve(const LinearOperator& A, const Preconditioner& P, const Points& b, const SolveLimits& limits,
                 Points& x, Points* direction = nullptr);
  /// The same for a matrix of 3×3 blocks. `SymmetricSweeps` must be over A or an equal matrix.
  CgReport solve(const BlockMatrix& A, const Preconditioner& P, const Points& b, const SolveLimits& limits, Points& x,
                 Points* direction = nullptr);

 private:
  Points r_, z_, p_, Ap_;
};

/// A single solve by `ConjugateGradients`, of either kind of matrix.
template <class Matrix>
CgReport solve_conjugate_gradients(const Matrix& A, const Preconditioner& P, const Points& b, const SolveLimits& limits,
                                   Points& x, Points* direction = nullptr) {
  return ConjugateGradients().solve(A, P, b, limits, x, direction);
}

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
