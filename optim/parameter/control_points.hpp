#pragma once
#include <vector>

#include "diff/rollout/rollout.hpp"

namespace pithball::optim {

using sim::Index;

/// A smooth field given by its values at a few control points and interpolated by ordinary kriging with a linear
/// variogram (Matheron 1963, Principles of geostatistics, doi:10.2113/gsecongeo.58.8.1246):
///    c(x) = Σ_k w_k(x) p_k,   Σ_k w_k = 1,   Σ_l |x_k − x_l| w_l + μ = |x_k − x|   for every control point k.
/// At a control point the field equals that point's p; along a line of points it is linear between two and constant
/// beyond the last. Distances are Euclidean.
///
/// Control points are chosen by farthest-point sampling: the first is the place farthest from the mean of all, each
/// further one the place farthest from those before it.
class ControlPoints {
 public:
  /// places [m], 3×n; count ≥ 1. Throws InvalidArgument if there are fewer distinct places.
  ControlPoints(const sim::Points& places, Index count);

  const std::vector<Index>& points() const { return points_; }  ///< columns of `places`
  /// w_k at place i, a row for each place and a column for each control point.
  const Eigen::MatrixXd& weights() const { return weights_; }

 private:
  std::vector<Index> points_;
  Eigen::MatrixXd weights_;
};

}  // namespace pithball::optim
