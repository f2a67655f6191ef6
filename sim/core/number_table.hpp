#pragma once
#include <functional>
#include <string>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// Numbers from a file, one row per line.
struct NumberTable {
  std::string file;         ///< its name, for messages
  Eigen::MatrixXd numbers;  ///< NaN for empty cells
  /// Places for error messages: "file:line" and "file:line:column".
  std::function<std::string(Index row)> row_place;
  std::function<std::string(Index row, Index column)> place;  ///< of one cell, "file:line:column"
};

}  // namespace pithball::sim
