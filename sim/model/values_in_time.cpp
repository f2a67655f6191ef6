#include "sim/model/values_in_time.hpp"

#include <algorithm>
#include <cmath>

namespace pithball::sim {

KeyFrames::Place KeyFrames::place(double t) const {
  const auto after = std::upper_bound(times.begin(), times.end(), t);
  if (after == times.begin()) return {0, 0};
  const auto before = after - 1;
  const Index j = before - times.begin();
  return {j, after == times.end() ? 0 : (t - *before) / (*after - *before)};
}

void KeyFrames::interpolate(double t, Vector& values) const {
  const auto [j, w] = place(t);
  for (Index e = 0; e < count(); ++e) {
    double& value = values[entries[e]];
    value = values[key(e, j)];
    if (w > 0) value += w * (values[key(e, j + 1)] - value);
  }
}

void KeyFrames::move_gradient(double t, Vector& gradient) const {
  const auto [j, w] = place(t);
  for (Index e = 0; e < count(); ++e) {
    double& g = gradient[entries[e]];
    gradient[key(e, j)] += (1 - w) * g;
    if (w > 0) gradient[key(e, j + 1)] += w * g;
    g = 0;
  }
}

bool KeyFrames::touched_by(const Vector& change) const {
  return !change.segment(first_key, count() * static_cast<Index>(times.size())).isZero(0) ||
         std::any_of(entries.begin(), entries.end(), [&](Index e) { return change[e] != 0; });
}

double KeyFrames::largest(const Vector& values, Index e) const {
  double found = values[key(e, 0)];
  for (Index j = 1; j < static_cast<Index>(times.size()); ++j) found = std::max(found, values[key(e, j)]);
  return found;
}

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
