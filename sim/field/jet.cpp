#include "sim/field/jet.hpp"

#include <cmath>
#include <numbers>

namespace pithball::sim {

double compute_power(double base, double exponent) {
  // Pure number: for larger exponents std::pow is as fast, and its rounding error does not grow with the exponent.
  constexpr double largest_by_products = 16;
  if (exponent != std::round(exponent) || std::abs(exponent) > largest_by_products) return std::pow(base, exponent);
  double result = 1;
  for (auto k = static_cast<unsigned>(std::abs(exponent)); k > 0; k >>= 1, base *= base)
    if (k & 1u) result *= base;
  return exponent < 0 ? 1 / result : result;
}

namespace {

Slopes sin_slopes(double x, double f) { return {std::cos(x), -f}; }
Slopes cos_slopes(double x, double f) { return {-std::sin(x), -f}; }
Slopes tan_slopes(double, double f) { return {1 + f * f, 2 * f * (1 + f * f)}; }

Slopes asin_slopes(double x, double) {
  const double first = 1 / std::sqrt((1 - x) * (1 + x));
  return {first, x * first * first * first};
}

Slopes acos_slopes(double x, double f) {
  const auto [first, second] = asin_slopes(x, f);
  return {-first, -second};
}

Slopes atan_slopes(double x, double) {
  const double first = 1 / (1 + x * x);
  return {first, -2 * x * first * first};
}

Slopes sinh_slopes(double x, double f) { return {std::cosh(x), f}; }
Slopes cosh_slopes(double x, double f) { return {std::sinh(x), f}; }

Slopes tanh_slopes(double x, double f) {
  const double c = std::cosh(x), first = 1 / (c * c);  // 1 − f² would cancel
  return {first, -2 * f * first};
}

Slopes exp_slopes(double, double f) { return {f, f}; }
Slopes ln_slopes(double x, double) { return {1 / x, -1 / (x * x)}; }

Slopes log2_slopes(double x, double f) {
  const auto [first, second] = ln_slopes(x, f);
  return {first / std::numbers::ln2, second / std::numbers::ln2};
}

Slopes log10_slopes(double x, double f) {
  const auto [first, second] = ln_slopes(x, f);
  return {first / std::numbers::ln10, second / std::numbers::ln10};
}

Slopes sqrt_slopes(double x, double f) { return {0.5 / f, -0.25 / (f * x)}; }

constexpr ExpressionFunction known_functions[] = {
    {"sin", std::sin, sin_slopes},    {"cos", std::cos, cos_slopes},       {"tan", std::tan, tan_slopes},
    {"asin", std::asin, asin_slopes}, {"acos", std::acos, acos_slopes},    {"atan", std::atan, atan_slopes},
    {"sinh", std::sinh, sinh_slopes}, {"cosh", std::cosh, cosh_slopes},    {"tanh", std::tanh, tanh_slopes},
    {"exp", std::exp, exp_slopes},    {"ln", std::log, ln_slopes},         {"log", std::log, ln_slopes},
    {"log2", std::log2, log2_slopes}, {"log10", std::log10, log10_slopes}, {"sqrt", std::sqrt, sqrt_slopes},
};

}  // namespace

std::span<const ExpressionFunction> expression_functions() { return known_functions; }

}  // namespace pithball::sim
