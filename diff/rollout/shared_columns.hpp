#pragma once
#include <vector>

#include "diff/rollout/rollout.hpp"

namespace pithball::diff {

/// Directions of a scenario in as few columns as carry them. Where particles drift freely (sim/force/free_drift.hpp), a
/// change of a particle's own values moves no other particle, so that one column carries directions of different
/// particles at once (Curtis, Powell and Reid, J. Inst. Math. Appl. 13, 1974): charges and radii of a hundred drops are
/// two columns. In other scenarios each direction is a column.
class SharedColumns {
 public:
  /// `directions`: scenario.size()×P, in the flat layout.
  SharedColumns(const Scenario& scenario, const Eigen::MatrixXd& directions);

  /// The columns to carry, scenario.size()×C.
  const Eigen::MatrixXd& columns() const { return columns_; }
  /// Writes the derivatives of the columns (3N×C) to those of the directions (3N×P, 0 where they stay 0).
  void spread(const Eigen::MatrixXd& of_columns, Eigen::MatrixXd& of_directions) const;

 private:
  /// Where a direction is carried.
  struct Place {
    Index column = 0;              ///< its column
    bool is_of_all = true;         ///< whether it moves every particle
    std::vector<Index> particles;  ///< otherwise those that it moves
  };
  std::vector<Place> places_;  ///< by direction
  Eigen::MatrixXd columns_;
};

}  // namespace pithball::diff
