#include "sim/coulomb/fmm/operators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>

namespace pithball::sim::fmm {

int order_for(double tolerance) {
  // Orders for 1e0, 1e-1, … 1e-10; between them linear in the number of digits. The largest errors seen at these orders
  // lie 1.1 to 3 times below the tolerance, those of dipoles and field gradients too. Further digits, which only
  // charges whose fields cancel need, cost as many orders as the last one.
  constexpr std::array<double, 11> order{1, 2, 4, 7, 10, 14, 17, 21, 26, 32, 38};
  const double digits = std::max(-std::log10(tolerance), 0.0);
  const std::size_t k = std::min(static_cast<std::size_t>(digits), order.size() - 2);
  return static_cast<int>(std::ceil(std::lerp(order[k], order[k + 1], digits - k) - 1e-9));
}

int order_at_distance(int order, int r2) {
  // The part of the order at which a pair of boxes at this distance, filled with random charges, has at most 0.7 times
  // the root mean square error of a pair at distance 2 with the whole order; measured for orders 3…32.
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
  // Measured on one core with AVX-512, in units of a pair (0.45 ns): a translation of average reduced order with its
  // share of the lists, and an irregular expansion at a point.
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
