#include "sim/force/coincident_particles.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace pithball::sim {
namespace {

/// A number whose lower bits differ for nearly all points; the same for equal points, as 0 and −0 are.
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
  // Each particle goes to the first free place from that of its position on, so that it passes all at this position.
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
