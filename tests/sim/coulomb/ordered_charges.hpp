#pragma once
// Charges in perfect order, whose near fields cancel: what sums of random charges do not show.

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/coulomb/coulomb_registry.hpp"

namespace pithball::tests {

/// The sum of this method at a tolerance.
inline std::unique_ptr<const sim::CoulombSum> sum_of(const std::string& method, double tolerance,
                                                     double softening = 0) {
  sim::CoulombOptions options;
  options.method = method;
  options.tolerance = tolerance;
  options.softening = softening;
  return sim::make_coulomb_sum(options);
}

/// Points of a lattice with a charge each.
struct OrderedCharges {
  std::string name;
  sim::Points x;
  sim::Vector q;
};

/// A lattice of a × b × c points one apart; `sign(i, j, k)` even: +1 µC, odd: −1 µC.
inline OrderedCharges ordered(const std::string& name, const std::array<int, 3>& counts,
                              const std::function<int(int, int, int)>& sign) {
  const sim::Index n = sim::Index{counts[0]} * counts[1] * counts[2];
  OrderedCharges charges{name, sim::Points(3, n), sim::Vector(n)};
  sim::Index p = 0;
  for (int i = 0; i < counts[0]; ++i)
    for (int j = 0; j < counts[1]; ++j)
      for (int k = 0; k < counts[2]; ++k, ++p) {
        charges.x.col(p) = sim::Vec3(i, j, k);
        charges.q[p] = sign(i, j, k) % 2 == 0 ? 1e-6 : -1e-6;
      }
  return charges;
}

/// Perfect lattices of about 4,000·size³ points in space, 5,000·size² on sheets and 5,000·size on lines.
inline std::vector<OrderedCharges> ordered_charges(double size = 1) {
  const auto n = [size](int count) { return static_cast<int>(count * size); };
  const auto alternating = [](int i, int j, int k) { return i + j + k; };
  return {ordered("rock salt", {n(16), n(16), n(16)}, alternating),
          ordered("rock salt, odd", {n(17), n(17), n(17)}, alternating),
          ordered("checkerboard", {n(70), n(70), 1}, alternating),
          ordered("line", {n(5000), 1, 1}, alternating),
          ordered("stripes", {n(64), n(64), 1}, [](int i, int, int) { return i; }),
          ordered("double layer", {n(45), n(45), 2}, alternating),
          ordered("planes", {n(16), n(16), n(16)}, [](int, int, int k) { return k; }),
          ordered("columns", {n(16), n(16), n(16)}, [](int i, int j, int) { return i + j; }),
          ordered("blocks of 2", {n(16), n(16), n(16)}, [](int i, int j, int k) { return i / 2 + j / 2 + k / 2; }),
          ordered("squares of 3", {n(70), n(70), 1}, [](int i, int j, int) { return i / 3 + j / 3; }),
          ordered("pieces of 5", {n(5000), 1, 1}, [](int i, int, int) { return i / 5; }),
          ordered("equal charges on a line", {n(5000), 1, 1}, [](int, int, int) { return 0; }),
          ordered("equal charges on a sheet", {n(70), n(70), 1}, [](int, int, int) { return 0; })};
}

}  // namespace pithball::tests
