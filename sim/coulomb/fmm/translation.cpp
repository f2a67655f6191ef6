#include "sim/coulomb/fmm/translation.hpp"

#include <cmath>
#include <numeric>

namespace pithball::sim::fmm {
namespace {

/// log n!
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

}  // namespace pithball::sim::fmm
