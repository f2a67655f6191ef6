#pragma once
#include <algorithm>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// The natural cubic spline through (s_k, u_k): the twice continuously differentiable piecewise cubic with u″ = 0 at
/// both ends (de Boor, A Practical Guide to Splines, 1978, chapter IV). Beyond the ends it goes on as the straight line
/// that it ends with, which keeps u″ continuous.
class CubicSpline {
 public:
  /// At least two nodes; s strictly increasing; all finite. Throws InvalidArgument otherwise.
  CubicSpline(Vector nodes, Vector values);
  /// The natural spline with even nodes about `spacing` apart that misses the values least in the sense of least
  /// squares (de Boor 1978, chapter XIV): for tables whose values scatter, as those of finite elements do. Throws
  /// InvalidArgument unless spacing > 0 leaves at least as many values as nodes.
  static CubicSpline smooth(const Vector& nodes, const Vector& values, double spacing);

  double first() const { return s_[0]; }             ///< s of the first node
  double last() const { return s_[s_.size() - 1]; }  ///< s of the last node
  double value(double s) const;                      ///< u(s)
  double slope(double s) const;                      ///< u′(s)
  double curvature(double s) const;                  ///< u″(s)
  double integral(double s) const;                   ///< ∫ u from the first node to s

 private:
  Index piece(double s) const;  // the k with s_k ≤ s < s_{k+1}, of the first or last piece outside
  double inside(double s) const { return std::min(std::max(s, first()), last()); }
  double integral_inside(double s) const;
  Vector s_, u_, m_, sums_;  // nodes, values, u″ at the nodes, ∫ u up to each node
};

}  // namespace pithball::sim
