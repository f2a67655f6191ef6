#include "sim/linear/conjugate_gradients.hpp"

#include <cmath>

#include "sim/linear/symmetric_sweeps.hpp"

namespace pithball::sim {

CgReport solve_conjugate_gradients(const LinearOperator& A, const Preconditioner& P, const Points& b,
                                   const SolveLimits& limits, Points& x, Points* direction) {
  CgReport report;
  const Index n = b.cols();
  x = Points::Zero(3, n);
  Points r = b, z(3, n), p(3, n), Ap(3, n);
  const double b_norm = b.norm();
  if (b_norm == 0) {
    report.converged = true;
    return report;
  }
  P.apply(r, z);
  p = z;
  double rz = flat(r).dot(flat(z));
  for (; report.iterations < limits.max_iterations; ++report.iterations) {
    report.relative_residual = r.norm() / b_norm;
    if (report.relative_residual <= limits.tolerance) {
      report.converged = true;
      return report;
    }
    A(p, Ap);
    const double curvature = flat(p).dot(flat(Ap));
    if (!(curvature > 0)) {  // also catches NaN
      report.negative_curvature = true;
      if (direction) *direction = p;
      return report;
    }
    const double alpha = rz / curvature;
    x += alpha * p;
    r -= alpha * Ap;
    P.apply(r, z);
    const double rz_next = flat(r).dot(flat(z));
    p = z + (rz_next / rz) * p;
    rz = rz_next;
  }
  report.relative_residual = r.norm() / b_norm;
  report.converged = report.relative_residual <= limits.tolerance;
  return report;
}

CgReport solve_conjugate_gradients(const BlockMatrix& A, const Preconditioner& P, const Points& b,
                                   const SolveLimits& limits, Points& x, Points* direction) {
  if (const auto* sweeps = dynamic_cast<const SymmetricSweeps*>(&P)) return sweeps->solve(b, limits, x, direction);
  const LinearOperator product = [&A](const Points& in, Points& out) { A.multiply(in, out); };
  return solve_conjugate_gradients(product, P, b, limits, x, direction);
}

}  // namespace pithball::sim
