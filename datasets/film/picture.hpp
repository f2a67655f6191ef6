#pragma once
#include <Eigen/Core>

#include "sim/core/types.hpp"

namespace pithball::datasets {

using sim::Index;

/// Brightness of every pixel of a frame, in the units of its file: row y (from the top, 0-based), column x. Pixel
/// centers are at whole numbers.
using Picture = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A part of a picture [px]: columns x to x + width − 1, rows y to y + height − 1.
struct Region {
  Index x = 0,     ///< first column
      y = 0,       ///< first row
      width = 0,   ///< number of columns
      height = 0;  ///< number of rows

  /// Whether the point lies on one of its pixels.
  bool contains(double at_x, double at_y) const {
    return at_x >= x - 0.5 && at_y >= y - 0.5 && at_x < x + width - 0.5 && at_y < y + height - 0.5;
  }
};

}  // namespace pithball::datasets
