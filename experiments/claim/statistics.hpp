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

/// The largest and the smallest of numbers that come one by one. NaN as soon as one of them is NaN, and for none: a
/// claim about a missing value must not hold. (std::max loses a NaN.)
class Worst {
 public:
  void add(double value) {
    missing_ = missing_ || std::isnan(value);
    largest_ = any_ ? std::max(largest_, value) : value;
    smallest_ = any_ ? std::min(smallest_, value) : value;
    any_ = true;
  }
  bool any() const { return any_; }
  double largest() const { return missing_ || !any_ ? nothing : largest_; }
  double smallest() const { return missing_ || !any_ ? nothing : smallest_; }

 private:
  static constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  bool any_ = false, missing_ = false;
  double largest_ = 0, smallest_ = 0;
};

}  // namespace pithball::experiments
