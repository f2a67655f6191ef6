#include "datasets/capture/frame_rate.hpp"

#include <algorithm>
#include <cmath>

namespace pithball::datasets {

FrameRate find_frame_rate(const Eigen::VectorXd& time) {
  const sim::Index intervals = time.size() - 1;
  if (intervals < 1) return {};
  const Eigen::VectorXd interval = time.tail(intervals) - time.head(intervals);
  Eigen::VectorXd sorted = interval;
  std::sort(sorted.begin(), sorted.end());
  const double median = sorted[intervals / 2];
  const auto multiple_of = [&](double length) { return std::max(1.0, std::round(length / median)); };
  double count = 0;
  for (const double length : interval) count += multiple_of(length);
  FrameRate found{count / (time[intervals] - time[0]), true};
  constexpr double tenth = 0.1;  // of an interval: more than any rounding of times that tell frames apart
  for (const double length : interval)
    found.even = found.even && std::abs(length * found.rate - multiple_of(length)) <= tenth;
  return found;
}

}  // namespace pithball::datasets
