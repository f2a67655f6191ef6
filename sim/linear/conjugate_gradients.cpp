#include "sim/linear/conjugate_gradients.hpp"

#include <cmath>

#include "sim/linear/symmetric_sweeps.hpp"

namespace pithball::sim {

CgReport ConjugateGradients::solve(const LinearOperator& A, const Preconditioner& P, const Points& b,
                                   const SolveLimits& limits, Points& x, Points* direction) {
  CgReport report;
  x.setZero(3, b.cols());
  const double b_norm = b.norm();
  if (b_norm == 0) {
    report.converged = true;
    return report;
  }
  r_ = b;
  for (Points* product : {&z_, &Ap_}) product->resize(3, b.cols());
  P.apply(r_, z_);
  p_ = z_;
  double rz = flat(r_).dot(flat(z_));
  for (; report.iterations < limits.max_iterations; ++report.iterations) {
    report.relative_residual = r_.norm() / b_norm;
    if (report.relative_residual <= limits.tolerance) {
      report.converged = true;
      return report;
    }
    A(p_, Ap_);
    const double curvature = flat(p_).dot(flat(Ap_));
    if (!(curvature > 0)) {  // also catches NaN
      report.negative_curvature = true;
      if (direction) *direction = p_;
      return report;
    }
    const double alpha = rz / curvature;
    x += alpha * p_;
    r_ -= alpha * Ap_;
    P.apply(r_, z_);
    const double rz_next = flat(r_).dot(flat(z_));
    p_ = z_ + (rz_next / rz) * p_;
    rz = rz_next;
  }
  report.relative_residual = r_.norm() / b_norm;
  report.converged = report.relative_residual <= limits.tolerance;
  return report;
}

CgReport ConjugateGradients::solve(const BlockMatrix& A, const Preconditioner& P, const Points& b,
                                   const SolveLimits& limits, Points& x, Points* direction) {
  if (const auto* sweeps = dynamic_cast<const SymmetricSweeps*>(&P)) return sweeps->solve(b, limits, x, direction);
  const LinearOperator product = [&A](const Points& in, Points& out) { A.multiply(in, out); };
  return solve(product, P, b, limits, x, direction);
}

}  // namespace pithball::sim
