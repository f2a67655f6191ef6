#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace pithball::experiments {

/// The middle value, or the mean of the two middle ones; NaN of nothing.
inline double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// √(mean of squares).
inline double root_mean_square(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum / values.size());
}

/// Standard deviation (n − 1) over mean.
inline double relative_spread(const std::vector<double>& values) {
  double mean = 0, sum = 0;
  for (const double v : values) mean += v / values.size();
  for (const double v : values) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / (values.size() - 1)) / mean;
}

}  // namespace pithball::experiments
