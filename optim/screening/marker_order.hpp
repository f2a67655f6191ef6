#pragma once
#include <Eigen/Core>
#include <optional>
#include <vector>

#include "optim/screening/reading_change.hpp"
#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Index;

/// A one-to-one assignment of rows to columns with the least sum of costs.
struct Assignment {
  std::vector<Index> column;  ///< n, by row
  double cost = 0;            ///< sum of the costs of its entries
  /// The least sum after an exchange of the columns of two rows; ∞ for a single row. An assignment that is no better
  /// than this is not unique.
  double next_cost = 0;
};

/// The best assignment for square, finite costs n×n, by shortest augmenting paths with potentials in O(n³) (the
/// Hungarian method; Jonker and Volgenant, Computing 38, 1987).
Assignment assign(const Eigen::MatrixXd& costs);

/// Markers of a recording that fit the simulated start in another order.
struct MarkerOrder {
  std::vector<Index> follows;  ///< M: the recorded marker m is where marker follows[m] is simulated
  std::vector<Index> moved;    ///< markers with follows[m] ≠ m
  Index frames = 0;            ///< the first frames over which they were compared
  SquareSum written,           ///< of the moved markers, in the order as written
      other;                   ///< in the order that fits
};

/// Compares the first frames of a recording with the simulated ones in every order of the markers, as an assignment
/// problem (`Assignment`). Each cycle of exchanged markers counts only if its order is better (`ReadingTest`) and
/// unique: any exchange of two of its markers with another must be worse by the same likelihood ratio. Empty: the order
/// as written is right, or nothing is decidable. `shifts`: the placement is a start value, so that a common shift of
/// all markers is subtracted. Recordings of more than 400 markers are not compared.
std::optional<MarkerOrder> find_marker_order(const StartReadings& readings, bool shifts);

}  // namespace pithball::optim
