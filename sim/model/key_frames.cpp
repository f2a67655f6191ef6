#include "sim/model/key_frames.hpp"

#include <algorithm>

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

}  // namespace pithball::sim
