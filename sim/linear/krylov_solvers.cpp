#include "sim/linear/krylov_solvers.hpp"

#include <Eigen/Jacobi>
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <vector>

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

namespace {

/// Performs one cycle: adds to x the correction in the Krylov space of r that minimizes the residual. Returns the
/// number of iterations.
int cycle(const LinearOperator& A, const Preconditioner& P, const Points& r, double goal, int length, Points& x) {
  const Index n = r.cols();
  std::vector<Points> basis{r / r.norm()};
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(length + 1, length);  // upper triangular once the rotations have acted
  Vector residual = Vector::Zero(length + 1);
  residual[0] = r.norm();
  std::vector<Eigen::JacobiRotation<double>> rotations;
  Points z(3, n), w(3, n);
  Index k = 0;
  while (k < length && std::abs(residual[k]) > goal) {
    P.apply(basis.back(), z);
    A(z, w);
    for (Index i = 0; i <= k; ++i) {  // modified Gram–Schmidt
      H(i, k) = flat(basis[i]).dot(flat(w));
      w -= H(i, k) * basis[i];
    }
    H(k + 1, k) = w.norm();
    const bool exhausted = !(H(k + 1, k) > 1e-14 * H.col(k).head(k + 1).norm());  // invariant Krylov space, or NaN
    basis.push_back(exhausted ? w : Points(w / H(k + 1, k)));
    for (Index i = 0; i < k; ++i) H.col(k).applyOnTheLeft(i, i + 1, rotations[i]);
    Eigen::JacobiRotation<double> rotation;
    rotation.makeGivens(H(k, k), H(k + 1, k));
    H.col(k).applyOnTheLeft(k, k + 1, rotation.adjoint());
    residual.applyOnTheLeft(k, k + 1, rotation.adjoint());
    rotations.push_back(rotation.adjoint());
    ++k;
    if (exhausted) break;
  }
  const Vector y = H.topLeftCorner(k, k).triangularView<Eigen::Upper>().solve(residual.head(k));
  Points correction = Points::Zero(3, n);
  for (Index i = 0; i < k; ++i) correction += y[i] * basis[i];
  P.apply(correction, z);
  x += z;
  return k;
}

}  // namespace

GmresReport solve_gmres(const LinearOperator& A, const Preconditioner& P, const Points& b, const SolveLimits& limits,
                        Points& x, int restart) {
  GmresReport report;
  x = Points::Zero(3, b.cols());
  const double norm = b.norm();
  report.converged = norm == 0;
  if (!std::isfinite(norm)) {
    x.setConstant(std::numeric_limits<double>::quiet_NaN());
    report.relative_residual = std::numeric_limits<double>::quiet_NaN();
    return report;
  }
  Points r = b, Ax(3, b.cols());
  while (!report.converged && report.iterations < limits.max_iterations) {
    const double before = r.norm();
    report.iterations +=
        cycle(A, P, r, limits.tolerance * norm, std::min(restart, limits.max_iterations - report.iterations), x);
    A(x, Ax);
    r = b - Ax;
    report.relative_residual = r.norm() / norm;
    report.converged = report.relative_residual <= limits.tolerance;
    if (!(r.norm() < 0.999 * before)) break;  // stagnates at rounding level, or NaN
  }
  return report;
}

}  // namespace pithball::sim
