#include "datasets/capture/capture_difference.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

/// For every marker of a its column in b.
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

void check_times(const Capture& a, const Capture& b) {
  const bool alike =
      a.frames() == b.frames() &&
      (a.frames() == 0 || ((a.time - b.time).cwiseAbs().maxCoeff() <= 1e-9 * std::abs(a.time[a.frames() - 1])));
  if (!alike)
    throw InvalidArgument(
        {b.name, "times", "must be those of '" + a.name + "' to be compared",
         std::to_string(b.frames()) + " frames and " + std::to_string(a.frames()) + ", or other times",
         "give a rate to files that have none"});
}

}  // namespace

CaptureDifference compare_captures(const Capture& a, const Capture& b) {
  const std::vector<Index> column = match_markers(a, b);
  check_times(a, b);
  CaptureDifference difference;
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

}  // namespace pithball::datasets
