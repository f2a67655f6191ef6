#include "sim/field/passage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pithball::sim {
namespace {

/// Returns the distance from the origin to the segment between two points [m].
double least_distance(const Vec3& a, const Vec3& b) {
  const Vec3 way = b - a;
  const double way2 = way.squaredNorm();
  const double nearest = way2 > 0 ? std::clamp(-a.dot(way) / way2, 0.0, 1.0) : 0;
  return (a + nearest * way).norm();
}

void keep_farthest(std::optional<Passage>& farthest, const Passage& one) {
  if (is_farther(one, farthest)) farthest = one;
}

/// Whether a sphere that moves along a straight line meets the obstacle. Steps along the line are the distance to the
/// obstacle, but at least a fraction of its thickness.
bool meets(const Vec3& from, const Vec3& to, double radius, const Obstacle& obstacle) {
  const double length = (to - from).norm(), least = obstacle.thickness() / 8;
  Vec3 normal;
  for (double gone = 0;;) {
    double gap = std::numeric_limits<double>::infinity();
    const Vec3 x = from + gone / length * (to - from);
    for (Index wall = 0; wall < obstacle.walls(); ++wall)
      gap = std::min(gap, obstacle.distance(wall, x, normal) - radius);
    if (gap < 0) return true;
    if (gone >= length) return false;
    gone = std::min(length, gone + std::max(gap, least));
  }
}

}  // namespace

bool is_farther(const Passage& one, const std::optional<Passage>& other) {
  return !other || one.way * other->size > other->way * one.size;
}

std::optional<Passage> find_passage(const Flight& flight, const Vector& radius) {
  std::optional<Passage> farthest;
  if (radius.size() == 0) return farthest;
  double smallest = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < radius.size(); ++i)
    if (radius[i] > 0) smallest = std::min(smallest, radius[i]);
  const double fastest = std::sqrt((flight.to - flight.from).colwise().squaredNorm().maxCoeff());
  if (!(fastest * flight.part > smallest)) return farthest;  // the usual case
  std::vector<Index> order;
  for (Index i = 0; i < radius.size(); ++i)
    if (radius[i] > 0) order.push_back(i);
  // Sort by the lower ends of the intervals that the particles sweep along the longest side of their bounding box.
  Index axis = 0;
  (flight.from.rowwise().maxCoeff() - flight.from.rowwise().minCoeff()).maxCoeff(&axis);
  const auto low = [&](Index i) { return std::min(flight.from(axis, i), flight.to(axis, i)) - radius[i]; };
  const auto high = [&](Index i) { return std::max(flight.from(axis, i), flight.to(axis, i)) + radius[i]; };
  std::ranges::sort(order, {}, low);
  for (std::size_t m = 0; m < order.size(); ++m)
    for (std::size_t n = m + 1; n < order.size() && low(order[n]) < high(order[m]); ++n) {
      const Index i = std::min(order[m], order[n]), j = std::max(order[m], order[n]);
      const Vec3 before = flight.from.col(i) - flight.from.col(j), after = flight.to.col(i) - flight.to.col(j);
      const double size = radius[i] + radius[j], way = flight.part * (after - before).norm();
      if (way > size && least_distance(before, after) < size) keep_farthest(farthest, {i, j, way, size});
    }
  return farthest;
}

std::optional<Passage> find_passage(const Flight& flight, const Vector& radius, const std::vector<Index>& particles,
                                    const Obstacle& obstacle) {
  std::optional<Passage> farthest;
  if (!std::isfinite(obstacle.thickness())) return farthest;
  for (const Index i : particles) {
    const double way = flight.part * (flight.to.col(i) - flight.from.col(i)).norm();
    const double size = obstacle.thickness() + 2 * radius[i];
    if (way > size && meets(flight.from.col(i), flight.to.col(i), radius[i], obstacle))
      keep_farthest(farthest, {i, -1, way, size});
  }
  return farthest;
}

}  // namespace pithball::sim
