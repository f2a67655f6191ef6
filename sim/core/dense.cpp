#include "sim/core/dense.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace pithball::sim {

Spectrum symmetric_spectrum(const Eigen::MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

LeastSquares solve_least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(A);
  return {decomposition.solve(B), decomposition.rank()};
}

Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& columns) {
  if (columns.cols() == 0) return columns;
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
  return qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), columns.cols());
}

}  // namespace pithball::sim
