#pragma once
#include <Eigen/SparseCore>
#include <memory>
#include <optional>

#include "sim/core/types.hpp"

namespace pithball::sim {

using SparseMatrix =
    Eigen::SparseMatrix<double>;  ///< column major; of symmetric matrices only the lower triangle is read

/// LLᵀ of a sparse symmetric positive definite matrix by CHOLMOD, with BLAS limited to one thread. Immutable.
class CholeskyFactor {
 public:
  /// x = A⁻¹ b for one or more columns; O(nonzeros of L) each.
  Eigen::MatrixXd solve(const Eigen::Ref<const Eigen::MatrixXd>& b) const;
  std::size_t bytes() const;  ///< memory of L [B]

 private:
  friend class CholeskyAnalysis;
  struct Data;
  std::shared_ptr<const Data> data_;
};

/// The fill-reducing ordering and elimination tree of one pattern, computed once for all matrices that have it.
class CholeskyAnalysis {
 public:
  /// Of a matrix with this pattern; its numbers do not matter. Only the lower triangle is read.
  explicit CholeskyAnalysis(const SparseMatrix& pattern);
  /// The factor of a matrix with the analyzed pattern; empty if it is not positive definite.
  std::optional<CholeskyFactor> factorize(const SparseMatrix& A) const;
  double factor_nonzeros() const;  ///< predicted nonzeros of L
  double factor_flops() const;     ///< predicted floating-point operations

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

}  // namespace pithball::sim
