#pragma once
#include <Eigen/Core>
#include <vector>

namespace pithball::experiments {

/// A dense matrix in the order in which `add_products` reads it: twelve rows at a time, column by column.
class PackedMatrix {
 public:
  static constexpr int tile = 12;
  explicit PackedMatrix(const Eigen::MatrixXd& matrix);
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int tiles() const { return (rows_ + tile - 1) / tile; }
  /// Rows t·tile … of column c; beyond the last row zeros.
  const double* at(int t, int c) const {
    return data_.data() + static_cast<std::size_t>(tile) * (static_cast<std::size_t>(t) * columns_ + c);
  }

 private:
  int rows_, columns_;
  std::vector<double> data_;
};

/// to[l] += matrix · from[l] for l = 0…count − 1, on one thread: a matrix product, so that a matrix that does not fit
/// the cache is read once for all vectors.
void add_products(const PackedMatrix& matrix, int count, const double* const* from, double* const* to);

}  // namespace pithball::experiments
