#include "sim/coulomb/reference_sum.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/core/parallel_for.hpp"

namespace pithball::sim {

double ReferenceSum::field_error(const Points& e) const {
  return (e(Eigen::all, targets) - field).norm() / field.norm();
}

double ReferenceSum::potential_error(const Vector& phi) const {
  return (phi(targets) - potential).norm() / potential.norm();
}

std::vector<double> spread_places(Index count) {
  std::vector<double> places;
  for (Index k = 0; k < count; ++k) {
    double whole;
    places.push_back(std::modf((k + 0.5) * 0.6180339887498949, &whole));
  }
  std::sort(places.begin(), places.end());
  return places;
}

std::vector<Index> spread_targets(Index n, Index most) {
  std::vector<Index> targets;
  if (n <= most) {
    targets.resize(n);
    std::iota(targets.begin(), targets.end(), Index{0});
    return targets;
  }
  for (const double place : spread_places(most))
    targets.push_back(std::min(n - 1, static_cast<Index>(place * static_cast<double>(n))));
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

ReferenceSum make_reference_sum(const Points& x, const Vector& q, std::vector<Index> targets, double softening) {
  using Real = long double;
  const Index m = targets.size(), n = x.cols();
  ReferenceSum sum{std::move(targets), Points(3, m), Vector(m)};
  const Real softening2 = static_cast<Real>(softening) * softening;
  constexpr double cost = 20;  // of a pair in long double, relative to one of the vectorized sum
  parallel_for(m, cost * m * n, [&](Index k) {
    const Index i = sum.targets[k];
    const Real xi = x(0, i), yi = x(1, i), zi = x(2, i);
    Real ex = 0, ey = 0, ez = 0, phi = 0;
    for (Index j = 0; j < n; ++j) {
      if (j == i || q[j] == 0) continue;
      const Real rx = xi - x(0, j), ry = yi - x(1, j), rz = zi - x(2, j);
      const Real inverse = 1 / std::sqrt(rx * rx + ry * ry + rz * rz + softening2);
      const Real share = q[j] * inverse, weight = share * inverse * inverse;
      ex += weight * rx;
      ey += weight * ry;
      ez += weight * rz;
      phi += share;
    }
    const Real k_c = coulomb_constant;
    sum.field.col(k) << static_cast<double>(k_c * ex), static_cast<double>(k_c * ey), static_cast<double>(k_c * ez);
    sum.potential[k] = static_cast<double>(k_c * phi);
  });
  return sum;
}

}  // namespace pithball::sim
