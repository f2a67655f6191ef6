#include "optim/screening/marker_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pithball::optim {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Rows are assigned one by one, each along the cheapest augmenting path. Rows and columns count from 1; a path begins
/// at column 0.
class AugmentingPaths {
 public:
  explicit AugmentingPaths(const Eigen::MatrixXd& costs)
      : costs_(costs),
        n_(costs.rows()),
        row_potential_(n_ + 1, 0),
        column_potential_(n_ + 1, 0),
        row_of_(n_ + 1, 0),
        before_(n_ + 1, 0) {
    for (Index row = 1; row <= n_; ++row) add(row);
  }

  std::vector<Index> columns() const {
    std::vector<Index> column(n_);
    for (Index c = 1; c <= n_; ++c) column[row_of_[c] - 1] = c - 1;
    return column;
  }

 private:
  void add(Index row) {
    row_of_[0] = row;
    std::vector<double> least(n_ + 1, infinity);
    std::vector<bool> reached(n_ + 1, false);
    Index at = 0;
    do {
      reached[at] = true;
      at = nearest(row_of_[at], at, least, reached);
    } while (row_of_[at] != 0);
    for (; at != 0; at = before_[at]) row_of_[at] = row_of_[before_[at]];
  }

  /// Returns the cheapest column not yet reached when `row` leaves from column `from`; updates the potentials.
  Index nearest(Index row, Index from, std::vector<double>& least, const std::vector<bool>& reached) {
    double step = infinity;
    Index next = 0;
    for (Index c = 1; c <= n_; ++c) {
      if (reached[c]) continue;
      const double reduced = costs_(row - 1, c - 1) - row_potential_[row] - column_potential_[c];
      if (reduced < least[c]) {
        least[c] = reduced;
        before_[c] = from;
      }
      if (least[c] < step) {
        step = least[c];
        next = c;
      }
    }
    for (Index c = 0; c <= n_; ++c) {
      if (reached[c]) {
        row_potential_[row_of_[c]] += step;
        column_potential_[c] -= step;
      } else {
        least[c] -= step;
      }
    }
    return next;
  }

  const Eigen::MatrixXd& costs_;
  Index n_;
  std::vector<double> row_potential_, column_potential_;
  std::vector<Index> row_of_,  ///< by column; 0: none
      before_;                 ///< by column: the one before it on the path
};

}  // namespace

Assignment assign(const Eigen::MatrixXd& costs) {
  const Index n = costs.rows();
  Assignment best{AugmentingPaths(costs).columns(), 0, infinity};
  for (Index r = 0; r < n; ++r) best.cost += costs(r, best.column[r]);
  for (Index r = 0; r < n; ++r)
    for (Index other = 0; other < r; ++other) {
      const Index a = best.column[r], b = best.column[other];
      const double change = costs(r, b) + costs(other, a) - costs(r, a) - costs(other, b);
      best.next_cost = std::min(best.next_cost, best.cost + change);
    }
  return best;
}

namespace {

constexpr Index most_ordered_markers = 400;  // the cost of an assignment grows with the third power
constexpr Index most_ordered_frames = 64;    // later frames depend on the values to be fitted

/// The first frames, with the markers that were seen in them.
class FirstFrames {
 public:
  FirstFrames(const StartReadings& readings, Index frames, bool shifts) : readings_(readings), frames_(frames) {
    for (Index m = 0; m < readings.markers(); ++m)
      for (Index f = 0; f < frames; ++f)
        if (has(f, m, m)) {
          seen_.push_back(m);
          break;
        }
    if (shifts) subtract_shift();
  }

  const std::vector<Index>& seen() const { return seen_; }

  /// Returns the residuals of marker m as recorded relative to marker `other` as simulated.
  SquareSum compare(Index m, Index other) const {
    SquareSum squares;
    for (Index f = 0; f < frames_; ++f)
      for (int a = 0; a < 3; ++a) {
        const double off = readings_.recorded[f](a, m) - readings_.simulated[f](a, other) - shift_[a];
        if (std::isfinite(off)) squares.add(off / readings_.sigma(a, m));
      }
    return squares;
  }

 private:
  bool has(Index f, Index m, Index other) const {
    return (readings_.recorded[f].col(m) - readings_.simulated[f].col(other)).array().isFinite().any();
  }

  /// Subtracts the shift of the mean of the markers, which does not depend on their order.
  void subtract_shift() {
    for (int a = 0; a < 3; ++a) {
      double sum = 0;
      Index count = 0;
      for (Index f = 0; f < frames_; ++f)
        for (const Index m : seen_) {
          const double off = readings_.recorded[f](a, m) - readings_.simulated[f](a, m);
          if (!std::isfinite(off)) continue;
          sum += off;
          ++count;
        }
      if (count > 0) shift_[a] = sum / static_cast<double>(count);
    }
  }

  const StartReadings& readings_;
  Index frames_;
  std::vector<Index> seen_;
  Vec3 shift_ = Vec3::Zero();
};

/// Returns the cycles of a permutation that have more than one member.
std::vector<std::vector<Index>> cycles_of(const std::vector<Index>& image) {
  std::vector<std::vector<Index>> cycles;
  std::vector<bool> visited(image.size(), false);
  for (std::size_t start = 0; start < image.size(); ++start) {
    std::vector<Index> cycle;
    for (auto k = static_cast<Index>(start); !visited[k]; k = image[k]) {
      visited[k] = true;
      cycle.push_back(k);
    }
    if (cycle.size() > 1) cycles.push_back(std::move(cycle));
  }
  return cycles;
}

/// Whether no exchange of a member of the cycle with any other marker is nearly as good.
bool is_unique(const std::vector<Index>& cycle, const std::vector<Index>& image, const Eigen::MatrixXd& costs) {
  constexpr double least_likelihood_ratio = 50, times_the_mean = 8;
  double mean = 0;
  for (const Index k : cycle) mean += costs(k, image[k]) / static_cast<double>(cycle.size());
  for (const Index k : cycle)
    for (Index other = 0; other < static_cast<Index>(image.size()); ++other) {
      if (other == k) continue;
      const double change =
          costs(k, image[other]) + costs(other, image[k]) - costs(k, image[k]) - costs(other, image[other]);
      if (!(change > std::max(least_likelihood_ratio, times_the_mean * mean))) return false;
    }
  return true;
}

/// Finds the order in this many first frames.
std::optional<MarkerOrder> order_over(const StartReadings& readings, Index frames, bool shifts) {
  const FirstFrames first(readings, frames, shifts);
  const std::vector<Index>& seen = first.seen();
  const auto count = static_cast<Index>(seen.size());
  if (count < 2) return {};
  Eigen::MatrixXd costs(count, count);
  for (Index k = 0; k < count; ++k)
    for (Index other = 0; other < count; ++other) costs(k, other) = first.compare(seen[k], seen[other]).sum;
  const std::vector<Index> image = assign(costs).column;
  const ReadingTest test{readings.knows_noise};
  MarkerOrder order{{}, {}, frames, {}, {}};
  for (Index m = 0; m < readings.markers(); ++m) order.follows.push_back(m);
  for (const std::vector<Index>& cycle : cycles_of(image)) {
    SquareSum written, other;
    for (const Index k : cycle) {
      const SquareSum here = first.compare(seen[k], seen[k]), there = first.compare(seen[k], seen[image[k]]);
      written.sum += here.sum;
      written.count += here.count;
      other.sum += there.sum;
      other.count += there.count;
    }
    if (!test.is_better(other, written) || !is_unique(cycle, image, costs)) continue;
    for (const Index k : cycle) {
      order.follows[seen[k]] = seen[image[k]];
      order.moved.push_back(seen[k]);
    }
    order.written.sum += written.sum;
    order.written.count += written.count;
    order.other.sum += other.sum;
    order.other.count += other.count;
  }
  if (order.moved.empty()) return {};
  std::ranges::sort(order.moved);
  return order;
}

}  // namespace

std::optional<MarkerOrder> find_marker_order(const StartReadings& readings, bool shifts) {
  if (readings.markers() < 2 || readings.markers() > most_ordered_markers) return {};
  for (const Index end : window_ends(std::min(readings.frames(), most_ordered_frames)))
    if (std::optional<MarkerOrder> order = order_over(readings, end, shifts)) return order;
  return {};
}

}  // namespace pithball::optim
