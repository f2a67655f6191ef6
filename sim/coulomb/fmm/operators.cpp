#include "sim/coulomb/fmm/operators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>

namespace pithball::sim::fmm {
namespace {

/// Returns log n!.
double log_factorial(int n) { return std::lgamma(n + 1.0); }

}  // namespace

Layout::Layout(int order_) : order(order_) {
  const std::size_t count = coefficients(order);
  by_m.resize(count);
  same.resize(count);
  std::iota(same.begin(), same.end(), 0);
  for (int m = 0; m <= order; ++m)
    for (int part = 0; part < (m > 0 ? 2 : 1); ++part)
      for (int n = m; n <= order; ++n) by_degree.push_back(part == 0 ? cosine(n, m) : sine(n, m));
  for (std::size_t k = 0; k < count; ++k) by_m[by_degree[k]] = k;
}

Translation Translations::turned_to(const Vec3& direction, int order) {
  Translation t;
  t.order = order;
  auto& layout = layouts_[order];
  if (!layout) layout = std::make_unique<Layout>(order);
  t.layout = layout.get();
  const double r = direction.norm(), rho = std::hypot(direction[0], direction[1]);
  const double phi = rho > 0 ? std::atan2(direction[1], direction[0]) : 0;
  for (int m = 0; m <= order; ++m) {
    t.cos_m.push_back(std::cos(m * phi));
    t.sin_m.push_back(std::sin(m * phi));
  }
  auto& rotation = rotations_[{direction[2] / r, order}];
  if (!rotation) rotation = std::make_unique<RotationAboutY>(order, direction[2] / r, rho / r);
  t.rotation = rotation.get();
  return t;
}

void Translations::add_multipole_to_local(int number, const Offset& offset, int order) {
  const Vec3 direction(offset[0], offset[1], offset[2]);
  Translation t = turned_to(direction, order);
  auto& shift = shifts_[{static_cast<int>(direction.squaredNorm()), order}];
  if (!shift) {
    const double log_r = std::log(direction.norm());
    shift = std::make_unique<ShiftAlongZ>(order, [&](int n, int k, int m) {
      const double size = log_factorial(n + k) - 0.5 * (log_factorial(n - m) + log_factorial(n + m) +
                                                        log_factorial(k - m) + log_factorial(k + m));
      return ((n + m) % 2 ? -1 : 1) * std::exp(size - (n + k + 1) * log_r);
    });
  }
  t.shift = shift.get();
  to_local_[number] = std::move(t);
}

void Translations::add_octants() {
  // regular_nm(y + t ẑ) = Σ_k move(n, k, m) regular_km(y), k = m…n, with t = √3/4 sides of the parent; a child's
  // coefficients are in units of half that side.
  const auto move = [](int n, int k, int m) {
    if (k > n) return 0.0;
    const double size =
        0.5 * (log_factorial(n - m) + log_factorial(n + m) - log_factorial(k - m) - log_factorial(k + m)) -
        log_factorial(n - k) + (n - k) * std::log(std::sqrt(3.0) / 4);
    return std::exp(size) * std::ldexp(1.0, -k);
  };
  up_ = std::make_unique<ShiftAlongZ>(order_, move);
  down_ = std::make_unique<ShiftAlongZ>(order_, [&](int n, int k, int m) { return 0.5 * move(k, n, m); });
  for (int octant = 0; octant < 8; ++octant) {
    const auto side = [&](int axis) { return (octant >> axis & 1) ? 1.0 : -1.0; };
    Translation t = turned_to(Vec3(side(0), side(1), side(2)), order_);
    t.shift = up_.get();
    to_parent_[octant] = t;
    t.shift = down_.get();
    to_child_[octant] = std::move(t);
  }
}

int order_for(double tolerance) {
  // Orders for 1e0, 1e-1, … 1e-10; interpolated linearly in the number of digits. The largest errors observed at these
  // orders are 1.1 to 3 times below the tolerance, also those of dipoles and field gradients. Each further
  // digit, needed only if the fields of the charges cancel, adds as many orders as the last one.
  constexpr std::array<double, 11> order{1, 2, 4, 7, 10, 14, 17, 21, 26, 32, 38};
  const double digits = std::max(-std::log10(tolerance), 0.0);
  const std::size_t k = std::min(static_cast<std::size_t>(digits), order.size() - 2);
  return static_cast<int>(std::ceil(std::lerp(order[k], order[k + 1], digits - k) - 1e-9));
}

int order_at_distance(int order, int r2) {
  // The fraction of the order that suffices for two boxes at this distance: with random charges, their root mean square
  // error is at most 0.7 times that of boxes at distance 2 with the full order. Measured for orders 3…32.
  const double part = r2 <= 4    ? 1.00
                      : r2 == 5  ? 0.88
                      : r2 == 6  ? 0.80
                      : r2 == 8  ? 0.65
                      : r2 == 9  ? 0.60
                      : r2 == 10 ? 0.58
                      : r2 == 11 ? 0.56
                      : r2 == 12 ? 0.54
                      : r2 == 13 ? 0.52
                      : r2 == 14 ? 0.50
                      : r2 == 17 ? 0.47
                      : r2 == 18 ? 0.46
                      : r2 == 19 ? 0.44
                      : r2 == 22 ? 0.42
                                 : 0.38;
  return static_cast<int>(std::ceil(order * part));
}

Operators::Operators(int order)
    : translations(order, [order](int r2) { return order_at_distance(order, r2); }),
      points(order),
      costs(costs_of(order)) {}

Costs Operators::costs_of(int order) {
  // Measured on one core with AVX-512, in units of a pair (0.45 ns). A translation has the average reduced order and
  // includes its share of building the lists; an expansion at a point is irregular.
  const double count = coefficients(order);
  Costs costs;
  costs.translation = 110 + 1.05 * count + 0.13 * count * (order + 1);
  costs.point = 10 + 0.4 * count;
  return costs;
}

std::shared_ptr<const Operators> Operators::of(int order) {
  static std::mutex mutex;
  static std::map<int, std::shared_ptr<const Operators>> made;
  const std::lock_guard lock(mutex);
  auto& operators = made[order];
  if (!operators) operators = std::make_shared<const Operators>(order);
  return operators;
}

}  // namespace pithball::sim::fmm
