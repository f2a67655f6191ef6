#include "sim/field/jet.hpp"

namespace pithball::sim {

double compute_power(double base, double exponent) {
  // Pure number: with more factors the library's power is as fast, and its rounding error does not grow with them.
  constexpr double largest_by_products = 16;
  if (exponent != std::round(exponent) || std::abs(exponent) > largest_by_products) return std::pow(base, exponent);
  double result = 1;
  for (auto k = static_cast<unsigned>(std::abs(exponent)); k > 0; k >>= 1, base *= base)
    if (k & 1u) result *= base;
  return exponent < 0 ? 1 / result : result;
}

}  // namespace pithball::sim
