#include "optim/screening/assignment.hpp"

#include <algorithm>
#include <limits>

namespace pithball::optim {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Rows are assigned one after another; each takes the cheapest augmenting path. Rows and columns count from 1, and
/// column 0 is where a path begins.
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

  /// The cheapest column that is not reached yet, when `row` leaves from column `from`; updates the potentials.
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

}  // namespace pithball::optim
