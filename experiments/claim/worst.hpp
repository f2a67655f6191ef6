#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace pithball::experiments {

/// The largest and the smallest of numbers that come one by one. NaN as soon as one of them is NaN, and for none: a
/// claim on what is not there shall not hold. (std::max loses a NaN.)
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
