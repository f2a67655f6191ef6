#include "sim/neighbors/spatial_order.hpp"

#include <cmath>

#include "sim/neighbors/neighbor_search.hpp"

namespace pithball::sim {
namespace {

using Number = NeighborList::Number;

/// Whether most points are far from the next point in the order.
bool scattered(const Points& x, double cutoff) {
  const double far = 3 * cutoff;
  Index count = 0;
  for (Index i = 1; i < x.cols(); ++i)
    count += squared_distance(x(0, i), x(1, i), x(2, i), x(0, i - 1), x(1, i - 1), x(2, i - 1)) > far * far;
  return count > x.cols() / 2;
}

/// The lowest ten bits, each preceded by two zeros.
std::uint32_t spread(std::uint32_t bits) {
  bits = (bits | bits << 16) & 0x030000ff;
  bits = (bits | bits << 8) & 0x0300f00f;
  bits = (bits | bits << 4) & 0x030c30c3;
  return (bits | bits << 2) & 0x09249249;
}

/// Returns how often to halve the bounding box of n points along each axis, at most ten times: the resulting boxes then
/// contain about a hundred points each.
int halvings(std::size_t n) {
  int k = 0;
  while (k < 10 && (std::size_t{64} << 3 * (k + 1)) <= n) ++k;
  return k;
}

}  // namespace

std::vector<Number> spatial_order(const Points& x, double cutoff) {
  if (x.cols() < order_from || !(x.array().abs() <= NeighborSearch::farthest).all() || !scattered(x, cutoff)) return {};
  const std::size_t n = x.cols();
  const int k = halvings(n);
  const Vec3 low = x.rowwise().minCoeff();
  const double extent = (x.rowwise().maxCoeff() - low).maxCoeff(), cubes = std::exp2(k) * (1 - 1e-9);
  const auto along = [&](Index i, int a) {
    return spread(static_cast<std::uint32_t>((x(a, i) - low[a]) / extent * cubes));
  };
  std::vector<Number> cube(n), next((std::size_t{1} << 3 * k) + 1, 0), order(n);
  for (std::size_t p = 0; p < n; ++p) {
    const Index i = p;
    cube[p] = along(i, 0) | along(i, 1) << 1 | along(i, 2) << 2;
    ++next[cube[p] + 1];
  }
  for (std::size_t c = 1; c < next.size(); ++c) next[c] += next[c - 1];
  for (std::size_t p = 0; p < n; ++p) order[next[cube[p]]++] = static_cast<Number>(p);
  return order;
}

}  // namespace pithball::sim
