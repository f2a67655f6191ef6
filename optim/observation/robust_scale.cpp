#include "optim/observation/robust_scale.hpp"

#include <algorithm>
#include <cmath>

namespace pithball::optim {
namespace {

/// Median of |z| of a normal variable z, and the mean of z² where |z| < c = 4: 1 − 2 c φ(c)/(2Φ(c) − 1).
constexpr double normal_median = 0.6744897501960817, truncated_square = 0.9989293;
constexpr int most_rounds = 50;

}  // namespace

double quantile(std::vector<double> values, double q) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return NAN;
  const auto rank = values.begin() + std::lround(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), rank, values.end());
  return *rank;
}

RobustScale robust_scale(const std::vector<double>& values, double least) {
  std::vector<double> squares;
  squares.reserve(values.size());
  for (const double value : values)
    if (!std::isnan(value)) squares.push_back(value * value);
  RobustScale found;
  if (squares.empty()) return found;
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  const double start = std::max(std::sqrt(*middle) / normal_median, least);
  double limit = start > 0 ? robust_cut * robust_cut * start * start : INFINITY;
  for (int round = 0; round < most_rounds; ++round) {
    double sum = 0;
    std::size_t kept = 0;
    for (const double square : squares) {
      const bool inside = square <= limit;
      sum += inside ? square : 0;
      kept += inside ? 1 : 0;
    }
    const bool settled = round > 0 && kept == found.kept;
    found.kept = kept;
    const double part = kept < squares.size() ? truncated_square : 1;
    found.sigma = std::sqrt(sum / (static_cast<double>(kept) * part));
    if (settled || std::isinf(limit)) break;
    limit = robust_cut * robust_cut * std::max(found.sigma, least) * std::max(found.sigma, least);
  }
  found.apart = squares.size() - found.kept;
  return found;
}

}  // namespace pithball::optim
