#include "sim/force/closest_approach.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace pithball::sim {

double crossing_time(double r, double w, double b) {
  // 0/0 (two points at one position, at rest relative to each other) must give infinity, since they stay together.
  constexpr double never = std::numeric_limits<double>::infinity();
  return std::min(w > 0 ? r / w : never, b > 0 ? std::sqrt(2 * r / b) : never);
}

double closest_approach(const Model& model, const State& s, const Points& a, std::vector<Index> which,
                        const Vector& radius, double least) {
  double shortest = std::numeric_limits<double>::infinity(), reach = shortest;
  if (which.size() < 2) return shortest;
  Index axis = 0;
  (s.x.rowwise().maxCoeff() - s.x.rowwise().minCoeff()).maxCoeff(&axis);
  std::sort(which.begin(), which.end(), [&](Index i, Index j) { return s.x(axis, i) < s.x(axis, j); });

  // No pair with a gap wider than `reach` can close it within the shortest time found so far.
  const double fastest = 2 * s.v.colwise().norm().maxCoeff(), strongest = 2 * a.colwise().norm().maxCoeff();
  const double widest = radius.size() ? 2 * radius.maxCoeff() : 0;
  for (std::size_t m = 0; m < which.size(); ++m)
    for (std::size_t n = m + 1; n < which.size() && s.x(axis, which[n]) - s.x(axis, which[m]) - widest <= reach; ++n) {
      const Index i = which[m], j = which[n];
      const double distance = (s.x.col(i) - s.x.col(j)).norm();
      const double gap = radius.size() ? std::max(0.0, distance - radius[i] - radius[j]) : distance;
      if (gap > reach || (model.is_held(i) && model.is_held(j))) continue;
      const double time =
          crossing_time(std::max(gap, least), (s.v.col(i) - s.v.col(j)).norm(), (a.col(i) - a.col(j)).norm());
      if (!(time < shortest)) continue;
      shortest = time;
      reach = std::max(fastest * shortest, strongest * shortest * shortest / 2);
    }
  return shortest;
}

std::vector<Index> everyone(const Model& model) {
  std::vector<Index> all(model.particles());
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

namespace {

/// Returns a hash whose lower bits are well mixed. Equal points have equal hashes, with −0 equal to 0.
std::uint64_t scrambled(const Vec3& x) {
  std::uint64_t bits = 0;
  for (const double coordinate : x) {
    bits = (bits ^ std::bit_cast<std::uint64_t>(coordinate + 0.0)) * 0x9e3779b97f4a7c15u;
    bits ^= bits >> 32;
  }
  return bits;
}

}  // namespace

std::optional<Spring> find_coincident(const Points& x, const std::vector<Index>& which) {
  // Linear probing: a particle is compared with every earlier one at its position before it reaches an empty slot.
  const std::uint64_t last_place = std::bit_ceil(2 * which.size() + 1) - 1;
  std::vector<Index> at(last_place + 1, -1);
  for (const Index i : which) {
    std::uint64_t place = scrambled(x.col(i)) & last_place;
    for (; at[place] >= 0; place = (place + 1) & last_place)
      if (x.col(at[place]) == x.col(i)) return Spring{std::min(at[place], i), std::max(at[place], i)};
    at[place] = i;
  }
  return {};
}

}  // namespace pithball::sim
