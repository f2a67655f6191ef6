#include "optim/screening/left_by_parameters.hpp"

#include <Eigen/QR>

namespace pithball::optim {

double left_by_parameters(const TrajectoryResidual& residual, const Vector& theta, std::size_t recording) {
  constexpr Index most_parameters = 500;  // of a Jacobian that is computed for this question alone
  const Index first = residual.first_row(recording), rows = residual.first_row(recording + 1) - first;
  if (theta.size() > most_parameters || rows < 2 * theta.size()) return 0;
  Vector r;
  Eigen::MatrixXd J;
  if (!residual.evaluate(theta, r, &J).ok()) return 0;
  const Vector own = r.segment(first, rows);
  Eigen::MatrixXd columns = J.middleRows(first, rows);
  for (Index k = 0; k < columns.cols(); ++k)  // a parameter's unit does not matter
    if (const double norm = columns.col(k).norm(); norm > 0) columns.col(k) /= norm;
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> directions(columns);
  const Vector left = own - columns * directions.solve(own);
  return own.squaredNorm() > 0 ? left.squaredNorm() / own.squaredNorm() : 0;
}

}  // namespace pithball::optim
