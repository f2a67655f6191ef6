#include "optim/parameter/control_points.hpp"

#include <Eigen/LU>

#include "sim/core/error.hpp"

namespace pithball::optim {

ControlPoints::ControlPoints(const sim::Points& places, Index count) {
  if (count < 1 || count > places.cols())
    throw InvalidArgument({"", "points",
                           "must be between 1 and the number of positions, " + std::to_string(places.cols()),
                           std::to_string(count), "choose fewer points"});
  const sim::Vec3 mean = places.rowwise().mean();
  sim::Vector distance = (places.colwise() - mean).colwise().norm();
  const double extent = distance.maxCoeff();
  for (Index k = 0; k < count; ++k) {
    const double far = distance.maxCoeff();
    Index farthest = 0;  // the first of those that differ only by rounding errors
    while (distance[farthest] < (1 - 1e-9) * far) ++farthest;
    if (k > 0 && !(far > 1e-9 * extent))
      throw InvalidArgument({"", "points", "must be at most the number of different positions, " + std::to_string(k),
                             std::to_string(count), "choose fewer points"});
    points_.push_back(farthest);
    const sim::Vector to_it = (places.colwise() - sim::Vec3(places.col(farthest))).colwise().norm();
    distance = k == 0 ? to_it : sim::Vector(distance.cwiseMin(to_it));
  }

  // Distances are in units of the body, so that the last row and column (the sum of the weights) are as large as the
  // rest.
  const double unit = extent > 0 ? extent : 1;
  Eigen::MatrixXd system = Eigen::MatrixXd::Ones(count + 1, count + 1), right(count + 1, places.cols());
  system(count, count) = 0;
  right.row(count).setOnes();
  for (Index k = 0; k < count; ++k) {
    const sim::Vec3 x = places.col(points_[k]);
    right.row(k) = (places.colwise() - x).colwise().norm() / unit;
    for (Index l = 0; l < count; ++l) system(k, l) = right(k, points_[l]);
  }
  weights_ = system.partialPivLu().solve(right).topRows(count).transpose();
  // Exactly one parameter at a control point, whatever the rounding.
  for (Index k = 0; k < count; ++k) weights_.row(points_[k]) = Eigen::RowVectorXd::Unit(count, k);
}

}  // namespace pithball::optim
