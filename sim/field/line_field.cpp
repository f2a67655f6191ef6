#include "sim/field/line_field.hpp"

#include "sim/core/error.hpp"

namespace pithball::sim {

LineField::LineField(CubicSpline spline, Quantity quantity, const Vec3& origin, const Vec3& axis)
    : spline_(std::move(spline)), quantity_(quantity), origin_(origin), axis_(axis.normalized()) {
  if (!axis.allFinite() || axis.isZero(0))
    throw InvalidArgument(
        {"", "axis", "must be a direction", "a vector that is zero or not finite", "write [1, 0, 0]"});
}

bool LineField::contains(const Vec3& x) const {
  const double s = along(x);
  return s >= spline_.first() && s <= spline_.last();
}

ScalarField::Jet LineField::at(const Vec3& x) const {
  const double s = along(x);
  const bool direct = quantity_ == Quantity::Potential;
  const double value = direct ? spline_.value(s) : -spline_.integral(s);
  const double first = direct ? spline_.slope(s) : -spline_.value(s);
  const double second = direct ? spline_.curvature(s) : -spline_.slope(s);
  return {value, first * axis_, second * axis_ * axis_.transpose()};
}

}  // namespace pithball::sim
