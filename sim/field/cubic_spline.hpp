#pragma once
#include <algorithm>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// What holds at the ends of a spline.
enum class SplineEnds {
  NotAKnot,  ///< the first two pieces are one cubic, and so are the last two; with three nodes a parabola
  Natural,   ///< u″ = 0
};

/// u″ at the nodes of the cubic spline through (s_k, u_k), s increasing (de Boor, A Practical Guide to Splines, 1978,
/// chapter IV).
Vector spline_curvatures(const Vector& nodes, const Vector& values, SplineEnds ends);

/// The cubic spline through (s_k, u_k): the twice continuously differentiable piecewise cubic. With the default ends it
/// is exact for a cubic, up to the ends. It is extrapolated linearly.
class CubicSpline {
 public:
  /// At least two nodes; s strictly increasing; all finite. Throws InvalidArgument otherwise.
  CubicSpline(Vector nodes, Vector values, SplineEnds ends = SplineEnds::NotAKnot);
  /// The natural least-squares spline with equidistant nodes about `spacing` apart (de Boor 1978, chapter XIV): for
  /// tables with scatter, such as finite-element results, whose ends do not determine a curvature. Throws
  /// InvalidArgument unless spacing > 0 gives at most as many nodes as values.
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
