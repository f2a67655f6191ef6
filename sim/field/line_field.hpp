#pragma once
#include "sim/field/cubic_spline.hpp"
#include "sim/field/scalar_field.hpp"

namespace pithball::sim {

/// A potential given along a line: φ(x) depends only on s = a·(x − o), with a the unit vector of the axis and o the
/// point with s = 0. Interpolated by a cubic spline, so that ∇φ = φ′(s) a has a continuous derivative.
class LineField final : public ScalarField {
 public:
  /// Meaning of the values at the nodes.
  enum class Quantity {
    Potential,  ///< φ [V]
    Field,      ///< e = −φ′ along the axis [V/m]; φ is −∫ e from the first node
  };
  /// spline: the quantity over s [m]. Throws InvalidArgument on an axis of length 0.
  LineField(CubicSpline spline, Quantity quantity, const Vec3& origin, const Vec3& axis);

  Jet at(const Vec3& x) const override;  ///< outside the nodes extrapolated
  bool contains(const Vec3& x) const override;

 private:
  double along(const Vec3& x) const { return axis_.dot(x - origin_); }
  CubicSpline spline_;
  Quantity quantity_;
  Vec3 origin_, axis_;
};

}  // namespace pithball::sim
