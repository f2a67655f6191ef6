#pragma once
#include <Eigen/SparseCore>
#include <memory>
#include <optional>
#include <vector>

#include "sim/core/types.hpp"
#include "sim/linear/block_matrix.hpp"

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
  /// The analysis of a matrix with this pattern; its numbers do not matter. Only the lower triangle is read.
  explicit CholeskyAnalysis(const SparseMatrix& pattern);
  /// The factor of a matrix with the analyzed pattern; empty if it is not positive definite.
  std::optional<CholeskyFactor> factorize(const SparseMatrix& A) const;
  double factor_nonzeros() const;  ///< predicted nonzeros of L
  double factor_flops() const;     ///< predicted floating-point operations

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

/// An approximate inverse of a BlockMatrix, symmetric positive definite; immutable once it is shared, as by tapes.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  /// z = P⁻¹ r over free particles; columns of held ones become 0.
  virtual void apply(const Points& r, Points& z) const = 0;
  /// Memory, for the tape's budget.
  virtual std::size_t bytes() const = 0;
};

/// The inverses of the diagonal 3×3 blocks.
class BlockJacobi final : public Preconditioner {
 public:
  /// The preconditioner of a matrix whose diagonal blocks of free particles can be inverted.
  explicit BlockJacobi(const BlockMatrix& A) { compute(A); }
  /// Recomputes it for another matrix; it must not be shared yet.
  void compute(const BlockMatrix& A);
  void apply(const Points& r, Points& z) const override;
  std::size_t bytes() const override { return static_cast<std::size_t>(inverse_.size()) * sizeof(double); }

 private:
  SymmetricBlocks inverse_;
};

/// A scalar n×n factor used for x, y and z alike: the prefactorization of M + g²L, fixed for a whole run.
class ScalarFactor final : public Preconditioner {
 public:
  /// `held`: N, nonzero for held particles, whose results are 0.
  ScalarFactor(CholeskyFactor factor, std::vector<char> held) : factor_(std::move(factor)), held_(std::move(held)) {}
  void apply(const Points& r, Points& z) const override;
  std::size_t bytes() const override { return 0; }  // one for the whole run, not one for each step

 private:
  CholeskyFactor factor_;
  std::vector<char> held_;
};

/// The Cholesky factor of the 3n×3n matrix at a nearby point.
class BlockFactor final : public Preconditioner {
 public:
  /// From a factor of 3n×3n numbers.
  explicit BlockFactor(CholeskyFactor factor) : factor_(std::move(factor)) {}
  void apply(const Points& r, Points& z) const override;
  std::size_t bytes() const override { return factor_.bytes(); }

 private:
  CholeskyFactor factor_;
};

}  // namespace pithball::sim
