#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace pithball::datasets {

/// Numbers of spots by the square of the picture in which they are, so that those near a point are found without a
/// look at all.
class SpotTable {
 public:
  /// `width`, `height`: of the picture; `side`: of the squares [px].
  SpotTable(double width, double height, double side)
      : side_(side), columns_(count_of(width)), rows_(count_of(height)), cells_(columns_ * rows_) {}

  /// Adds a spot at a point; what is beyond the edges is in the outermost squares.
  void add(double x, double y, std::size_t spot) {
    cells_[cell_of(y, rows_) * columns_ + cell_of(x, columns_)].push_back(spot);
  }

  /// Whether `matches(spot)` of one of the spots in the squares that a circle around a point touches.
  template <class Matches>
  bool any_near(double x, double y, double radius, Matches&& matches) const {
    const std::size_t last_row = cell_of(y + radius, rows_), last_column = cell_of(x + radius, columns_);
    for (std::size_t row = cell_of(y - radius, rows_); row <= last_row; ++row)
      for (std::size_t column = cell_of(x - radius, columns_); column <= last_column; ++column)
        if (std::ranges::any_of(cells_[row * columns_ + column], matches)) return true;
    return false;
  }

 private:
  std::size_t count_of(double length) const {
    return static_cast<std::size_t>(std::max(1.0, std::ceil(length / side_)));
  }
  std::size_t cell_of(double place, std::size_t count) const {
    return static_cast<std::size_t>(std::clamp(std::floor(place / side_), 0.0, static_cast<double>(count - 1)));
  }

  double side_ = 1;
  std::size_t columns_ = 1, rows_ = 1;
  std::vector<std::vector<std::size_t>> cells_;
};

}  // namespace pithball::datasets
