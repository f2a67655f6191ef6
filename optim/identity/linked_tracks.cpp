#include "optim/identity/linked_tracks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "optim/screening/marker_order.hpp"

namespace pithball::optim {
namespace {

constexpr double gate = 5;              // usual errors of the extrapolation
constexpr Index most_frames_lost = 10;  // a track without detections for longer says little of where it is

double middle_of(std::vector<double> values) {
  if (values.empty()) return NAN;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Returns the squared distance in these components.
double square_between(const Vec3& a, const Vec3& b, const std::vector<int>& components) {
  return (a - b)(components).squaredNorm();
}

/// Returns the median distance of a point from its nearest neighbor; NaN for fewer than two points.
double spacing_of(const Points& points, const std::vector<int>& components) {
  std::vector<double> nearest;
  for (Index i = 0; i < points.cols(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (Index k = 0; k < points.cols(); ++k)
      if (k != i) least = std::fmin(least, std::sqrt(square_between(points.col(i), points.col(k), components)));
    if (std::isfinite(least)) nearest.push_back(least);
  }
  return middle_of(std::move(nearest));
}

/// Assigns rows (M) to columns (D), or to nothing at the cost `none`; infinite costs are excluded. Returns −1 for
/// nothing.
std::vector<Index> assign_some(const Eigen::MatrixXd& costs, double none) {
  const Index rows = costs.rows(), columns = costs.cols(), n = rows + columns;
  Eigen::MatrixXd square = Eigen::MatrixXd::Zero(n, n);
  // A row may end at any of its own columns for "nothing", and further rows take up the columns that are left.
  square.topRightCorner(rows, rows).setConstant(none);
  const double excluded = 4 * none * static_cast<double>(n);
  square.topLeftCorner(rows, columns) = costs.array().isFinite().select(costs, excluded);
  std::vector<Index> column = assign(square).column;
  column.resize(static_cast<std::size_t>(rows));
  for (Index r = 0; r < rows; ++r)
    if (column[r] >= columns || !std::isfinite(costs(r, column[r]))) column[r] = -1;
  return column;
}

/// Squared distances of M points from the detections of a frame, M×D; infinite where one is not known.
Eigen::MatrixXd square_distances(const Points& points, const Points& detections, const std::vector<int>& components) {
  Eigen::MatrixXd costs(points.cols(), detections.cols());
  for (Index m = 0; m < points.cols(); ++m)
    for (Index j = 0; j < detections.cols(); ++j) {
      const double square = square_between(points.col(m), detections.col(j), components);
      costs(m, j) = std::isfinite(square) ? square : std::numeric_limits<double>::infinity();
    }
  return costs;
}

/// Labels of the first frame.
struct FirstLabels {
  std::vector<Index> detection;
  std::vector<std::pair<Index, Index>> open;
};

FirstLabels label_first(const Points& expected, const Points& detections, const std::vector<int>& components) {
  constexpr double farthest = 2;    // spacings of the expected places
  constexpr double least_rise = 9;  // 3 standard deviations
  const Eigen::MatrixXd costs = square_distances(expected, detections, components);
  const double spacing = spacing_of(expected, components);
  const double largest = costs.size() > 0 ? costs.array().isFinite().select(costs, 0).maxCoeff() : 0;
  const double none = spacing > 0 ? std::pow(farthest * spacing, 2)
                                  : std::max(2 * largest, std::numeric_limits<double>::min());  // nothing is too far
  FirstLabels labels{assign_some(costs, none), {}};
  double sum = 0;
  Index count = 0;
  const std::vector<Index>& of = labels.detection;
  for (Index m = 0; m < expected.cols(); ++m)
    if (of[m] >= 0) {
      sum += costs(m, of[m]);
      ++count;
    }
  const double mean = count > 0 ? sum / static_cast<double>(count) : 0;
  for (Index i = 0; i < expected.cols(); ++i)
    for (Index k = i + 1; k < expected.cols(); ++k) {
      if (of[i] < 0 || of[k] < 0) continue;
      const double rise = costs(i, of[k]) + costs(k, of[i]) - costs(i, of[i]) - costs(k, of[k]);
      if (rise <= least_rise * mean) labels.open.emplace_back(i, k);
    }
  return labels;
}

/// How a pass extrapolates, and how far a detection may be.
struct Extrapolation {
  int places = 2;    ///< from how many last places: 2 or 3
  double error = 0,  ///< usual distance of the next detection
      step = 0;      ///< usual distance from frame to frame, for tracks with a single place
};

/// The last places of one track.
struct TrackEnd {
  std::vector<std::pair<double, Vec3>> last;  ///< up to three, (time, place); the newest last
  Index lost = 0;                             ///< frames since then

  Vec3 at(double time, int places) const {
    const std::size_t n = last.size();
    if (n == 1 || places < 2) return last.back().second;
    const auto& [t1, x1] = last[n - 1];
    const auto& [t0, x0] = last[n - 2];
    const Vec3 line = x1 + (time - t1) / (t1 - t0) * (x1 - x0);
    if (n == 2 || places < 3) return line;
    const auto& [s, y] = last[n - 3];
    const Vec3 bend = ((x1 - x0) / (t1 - t0) - (x0 - y) / (t0 - s)) / (t1 - s);
    return line + (time - t1) * (time - t0) * bend;
  }
  void add(double time, const Vec3& place) {
    last.emplace_back(time, place);
    if (last.size() > 3) last.erase(last.begin());
    lost = 0;
  }
};

/// One pass over all frames.
struct LinkingPass {
  std::vector<std::vector<Index>> detection;
  std::vector<double> errors,  ///< distances of detections from extrapolated places without a gap
      steps;                   ///< distances from frame to frame
};

LinkingPass link_with(const std::vector<double>& times, const std::vector<FrameDetections>& frames,
                      const Points& expected, const std::vector<Index>& first, const Extrapolation& by,
                      const std::vector<int>& components) {
  const Index markers = expected.cols();
  std::vector<TrackEnd> tracks(static_cast<std::size_t>(markers));
  for (Index m = 0; m < markers; ++m)
    tracks[m].add(times.front(), first[m] < 0 ? Vec3(expected.col(m)) : Vec3(frames[0].places.col(first[m])));
  LinkingPass pass{{first}, {}, {}};
  for (std::size_t f = 1; f < frames.size(); ++f) {
    Points next = Points::Constant(3, markers, NAN);
    Vector reach(markers);
    for (Index m = 0; m < markers; ++m) {
      const double usual = tracks[m].last.size() > 1 ? by.error : std::max(by.error, by.step);
      reach[m] = gate * usual * static_cast<double>(1 + tracks[m].lost);
      if (tracks[m].lost <= most_frames_lost) next.col(m) = tracks[m].at(times[f], by.places);
    }
    const Eigen::MatrixXd squares = square_distances(next, frames[f].places, components);
    Eigen::MatrixXd costs = squares;
    for (Index m = 0; m < markers; ++m)
      for (Index j = 0; j < costs.cols(); ++j)
        costs(m, j) = squares(m, j) <= reach[m] * reach[m] ? squares(m, j) / (reach[m] * reach[m])
                                                           : std::numeric_limits<double>::infinity();
    pass.detection.push_back(assign_some(costs, 1));
    for (Index m = 0; m < markers; ++m) {
      const Index j = pass.detection.back()[m];
      if (j < 0) {
        ++tracks[m].lost;
        continue;
      }
      if (tracks[m].lost == 0)
        pass.steps.push_back(
            std::sqrt(square_between(tracks[m].last.back().second, frames[f].places.col(j), components)));
      if (tracks[m].lost == 0 && tracks[m].last.size() == 3) pass.errors.push_back(std::sqrt(squares(m, j)));
      tracks[m].add(times[f], frames[f].places.col(j));
    }
  }
  return pass;
}

/// Returns the root mean square that lengths of this median usually have, at most `most`.
double usual_length(const std::vector<double>& lengths, double most) {
  constexpr double beyond_median = 1.5;
  const double median = middle_of(lengths);
  return median > 0 ? std::min(most, beyond_median * median) : most;
}

}  // namespace

LinkedTracks link_tracks(const std::vector<double>& times, const std::vector<FrameDetections>& frames,
                         const Points& expected) {
  const std::vector<int> components = found_components(frames);
  const FirstLabels labels = label_first(expected, frames.front().places, components);
  std::vector<double> spacings;
  for (const FrameDetections& frame : frames)
    if (const double spacing = spacing_of(frame.places, components); std::isfinite(spacing))
      spacings.push_back(spacing);
  const double spacing = middle_of(std::move(spacings));
  // Without neighbors nothing can be confused, and nothing is too far; its square is still a number.
  const double start = std::isfinite(spacing) ? spacing / 4 : std::cbrt(std::numeric_limits<double>::max());
  LinkedTracks best;
  double least = std::numeric_limits<double>::infinity();
  for (const int places : {2, 3}) {
    Extrapolation by{places, start, start};
    for (int pass = 0; pass < 2; ++pass) {
      const LinkingPass found = link_with(times, frames, expected, labels.detection, by, components);
      by.error = usual_length(found.errors, start);
      by.step = usual_length(found.steps, start);
    }
    LinkingPass last = link_with(times, frames, expected, labels.detection, by, components);
    if (by.error >= least) continue;
    least = by.error;
    best = {std::move(last.detection), labels.open};
  }
  return best;
}

}  // namespace pithball::optim
