#include "sim/field/tabulated_field.hpp"

#include <cmath>
#include <string>

#include "sim/core/error.hpp"

namespace pithball::sim {

TabulatedField::TabulatedField(std::shared_ptr<const ScalarField> potential, Outside outside, const Span& span)
    : potential_(std::move(potential)), outside_(outside), span_(span) {
  if (!(span.from < span.until))
    throw InvalidArgument(
        {"", "until", "must be later than `from`", std::to_string(span.until) + " s", "give a later time"});
  if (!(span.time_constant >= 0))
    throw InvalidArgument({"", "time_constant", "must be >= 0 s", std::to_string(span.time_constant), "leave it out"});
}

double TabulatedField::weight(double t) const {
  if (t < span_.from) return 0;
  const double tau = span_.time_constant;
  if (tau == 0) return t < span_.until ? 1 : 0;
  const double risen = std::isfinite(span_.from) ? -std::expm1(-(t - span_.from) / tau) : 1;
  return t < span_.until ? risen : risen * std::exp(-(t - span_.until) / tau);
}

Vec3 TabulatedField::value(const Vec3& x, double t) const {
  const double w = weight(t);
  if (w == 0) return Vec3::Zero();
  return known(x) ? Vec3(-w * potential_->at(x).gradient) : Vec3::Constant(NAN);
}

Mat3 TabulatedField::jacobian(const Vec3& x, double t) const {
  const double w = weight(t);
  if (w == 0) return Mat3::Zero();
  return known(x) ? Mat3(-w * potential_->at(x).hessian) : Mat3::Constant(NAN);
}

double TabulatedField::potential(const Vec3& x, double t) const {
  const double w = weight(t);
  if (w == 0) return 0;
  return known(x) ? w * potential_->at(x).value : NAN;
}

}  // namespace pithball::sim
