#include "datasets/capture/capture_difference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::datasets {
namespace {

/// For each marker of `a`, its column in `b`.
std::vector<Index> match_markers(const Capture& a, const Capture& b) {
  std::vector<Index> columns;
  for (const std::string& name : a.markers) {
    const auto found = std::find(b.markers.begin(), b.markers.end(), name);
    if (found == b.markers.end())
      throw InvalidArgument({b.name, "markers", "must be those of '" + a.name + "' to be compared",
                             "no marker named '" + name + "'", "compare recordings of one trial"});
    columns.push_back(found - b.markers.begin());
  }
  if (a.markers.size() != b.markers.size())
    throw InvalidArgument({b.name, "markers", "must be those of '" + a.name + "' to be compared",
                           std::to_string(b.markers.size()) + " instead of " + std::to_string(a.markers.size()),
                           "compare recordings of one trial"});
  return columns;
}

/// Returns half the interval to the nearest frame; infinite for a single frame.
double half_interval(const Eigen::VectorXd& time, Index f) {
  double interval = std::numeric_limits<double>::infinity();
  if (f > 0) interval = time[f] - time[f - 1];
  if (f + 1 < time.size()) interval = std::min(interval, time[f + 1] - time[f]);
  return interval / 2;
}

/// Returns the largest difference between the times of corresponding frames; differences due to rounding count as 0.
double compare_times(const Capture& a, const Capture& b) {
  const auto reject = [&](const std::string& got, const std::string& remedy) {
    throw InvalidArgument({b.name, "times", "must be those of '" + a.name + "' to be compared", got, remedy});
  };
  if (a.frames() != b.frames())
    reject(std::to_string(b.frames()) + " frames instead of " + std::to_string(a.frames()),
           "compare recordings of the same frames");
  double largest = 0;
  for (Index f = 0; f < a.frames(); ++f) {
    const double difference = std::abs(a.time[f] - b.time[f]);
    if (!(difference < std::min(half_interval(a.time, f), half_interval(b.time, f))))
      reject(formatted("frame %lld at %g s instead of %g s", static_cast<long long>(f + 1), b.time[f], a.time[f]),
             "give a rate to files that have none, or compare recordings of the same frames");
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::abs(a.time[f]);
    if (difference > rounding) largest = std::max(largest, difference);
  }
  return largest;
}

}  // namespace

CaptureDifference compare_captures(const Capture& a, const Capture& b) {
  const std::vector<Index> column = match_markers(a, b);
  CaptureDifference difference;
  difference.largest_time_difference = compare_times(a, b);
  for (std::size_t f = 0; f < a.positions.size(); ++f)
    for (std::size_t m = 0; m < column.size(); ++m) {
      const std::size_t other = column[m];
      const Eigen::Vector3d gap = a.positions[f].col(m) - b.positions[f].col(column[m]);
      const bool in_a = a.present[f][m], in_b = b.present[f][other];
      if (!in_a && !in_b) {
        ++difference.missing_in_both;
        continue;
      }
      const bool alike = in_a && in_b &&
                         (a.positions[f].col(m).array().isNaN() == b.positions[f].col(column[m]).array().isNaN()).all();
      if (!alike) {
        ++difference.missing_in_one;
        continue;
      }
      ++difference.samples;
      for (Index k = 0; k < 3; ++k)
        if (std::abs(gap[k]) > difference.largest) {
          difference.largest = std::abs(gap[k]);
          difference.marker = a.markers[m];
          difference.time = a.time[f];
        }
    }
  return difference;
}

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
  constexpr double tenth = 0.1;  // of an interval: more than the rounding of any times that distinguish frames
  for (const double length : interval)
    found.even = found.even && std::abs(length * found.rate - multiple_of(length)) <= tenth;
  return found;
}

}  // namespace pithball::datasets
