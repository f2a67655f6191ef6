#pragma once
#include <functional>
#include <string>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// Numbers that were written in a file, a row for each line.
struct NumberTable {
  std::string file;
  Eigen::MatrixXd numbers;  ///< NaN where a cell is empty
  /// Where they stand, for complaints: "file:line" and "file:line:column".
  std::function<std::string(Index row)> row_place;
  std::function<std::string(Index row, Index column)> place;
};

}  // namespace pithball::sim
