#include "sim/model/charge_leak.hpp"

#include <cmath>

namespace pithball::sim {

double ChargeLeak::remaining(double t, const Vector& values) const { return std::exp(-values[rate] * t); }

void ChargeLeak::apply(double t, Vector& values) const { values.segment(charges, count) *= remaining(t, values); }

void ChargeLeak::apply_to_change(double t, const Vector& values, Vector& change) const {
  const auto q = values.segment(charges, count);
  auto dq = change.segment(charges, count);
  dq = remaining(t, values) * (dq - t * change[rate] * q).eval();
}

void ChargeLeak::move_gradient(double t, const Vector& values, Vector& gradient) const {
  auto g = gradient.segment(charges, count);
  g *= remaining(t, values);
  gradient[rate] -= t * g.dot(values.segment(charges, count));
}

bool ChargeLeak::touched_by(const Vector& change) const {
  return change[rate] != 0 || !change.segment(charges, count).isZero(0);
}

}  // namespace pithball::sim
