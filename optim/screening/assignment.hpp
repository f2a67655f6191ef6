#pragma once
#include <Eigen/Core>

#include <vector>

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

}  // namespace pithball::optim
