#pragma once
#include <map>
#include <memory>

#include "experiments/bench/chebyshev_kernel.hpp"
#include "experiments/bench/dense_matrices.hpp"

namespace pithball::experiments {

/// Interpolation on a grid of n × n × n Chebyshev nodes in each box: charges are spread to the nodes, a dense matrix of
/// 1/|x_k − y_l| leads from the nodes of one box to those of another. Any smooth kernel could stand for 1/r.
class ChebyshevGrid final : public ExpansionCandidate {
 public:
  explicit ChebyshevGrid(int nodes);
  int order() const override { return nodes_.order(); }
  int size() const override { return order() * order() * order(); }
  void add_moments(const PointRanges& boxes, const double* charge, double* const* coefficient) const override;
  void add_field(const double* const* coefficient, const PointRanges& boxes, double* const* field) const override;
  void translate(const sim::fmm::Offset& offset, int count, const double* const* from,
                 double* const* to) const override {
    add_products(matrix(offset), count, from, to);
  }
  double matrix_bytes() const override { return bytes_for_all_offsets(matrices_); }

  const PackedMatrix& matrix(const sim::fmm::Offset& offset) const { return matrices_.at(representative(offset)); }
  const ChebyshevNodes& nodes() const { return nodes_; }

 private:
  ChebyshevNodes nodes_;
  DenseMatrices matrices_;
};

/// What the potentials of distant charges have in common on a grid of nodes: an orthonormal basis, the most important
/// vectors first, and the matrices of the grid in that basis (Fong and Darve, J. Comput. Phys. 228 (2009) 8712).
struct ChebyshevBasis {
  /// Of at most `most` vectors.
  ChebyshevBasis(std::shared_ptr<const ChebyshevGrid> grid, int most);
  std::shared_ptr<const ChebyshevGrid> grid;
  Eigen::MatrixXd vectors;                               ///< nodes × vectors
  std::map<sim::fmm::Offset, Eigen::MatrixXd> matrices;  ///< vectorsᵀ K vectors, by representative
};

/// How many vectors of a basis a pair of boxes needs, by representative.
using Ranks = std::map<sim::fmm::Offset, int>;

/// A Chebyshev grid of which only the parts along the first vectors of such a basis are kept, for each pair of boxes as
/// many as it needs.
class CompressedChebyshev final : public ExpansionCandidate {
 public:
  CompressedChebyshev(std::shared_ptr<const ChebyshevBasis> basis, const Ranks& ranks);
  int order() const override { return basis_->grid->order(); }
  int size() const override { return to_rank_.rows(); }
  void add_moments(const PointRanges& boxes, const double* charge, double* const* coefficient) const override;
  void add_field(const double* const* coefficient, const PointRanges& boxes, double* const* field) const override;
  void translate(const sim::fmm::Offset& offset, int count, const double* const* from,
                 double* const* to) const override {
    add_products(matrices_.at(representative(offset)), count, from, to);
  }
  double matrix_bytes() const override { return bytes_for_all_offsets(matrices_); }

 private:
  std::shared_ptr<const ChebyshevBasis> basis_;
  PackedMatrix to_rank_, to_grid_;
  DenseMatrices matrices_;
};

}  // namespace pithball::experiments
