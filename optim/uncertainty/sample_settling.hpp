#pragma once
#include <vector>

#include "optim/search/conjugate_gradients.hpp"

namespace pithball::optim {

/// The iteration, counted from 0, that is a fifth of n before the n-th, and at least two.
std::size_t a_fifth_back(Index n);

/// Root mean square over the columns, by row.
Vector mean_roots(const Eigen::MatrixXd& columns);

/// Columns of a block of systems: first samples, then probes.
struct SampleColumns {
  Index samples = 0,  ///< number of the first columns
      probes = 0;     ///< number of the columns after them
};

/// Monitors block conjugate gradients for samples δ_n of a posterior, and for probes with a component along every
/// direction. A value's RMS over the samples is settled if it has grown by less than a tenth over the last fifth of the
/// iterations: errors converge from below. Along a direction without information probes grow without bound, while
/// samples have no component.
class SampleSettling {
 public:
  /// `free`: number of values, of which a hundredth need not settle. `scaling` must outlive this object.
  SampleSettling(const BlockScaling& scaling, SampleColumns columns, Index free)
      : scaling_(scaling), columns_(columns), free_(free) {}

  /// Call after every iteration.
  bool is_enough(const BlockIterate& at);

  /// Whether the RMS of value k has grown by less than a tenth; valid after an iteration.
  bool is_settled(Index k) const;
  /// Whether a direction without information has been found.
  bool has_null() const { return null_.cols() > 0; }
  /// Directions without information, in scaled coordinates, of length 1.
  const Eigen::MatrixXd& null() const { return null_; }
  const Vector& errors() const { return errors_.back(); }  ///< RMS of θ, P
  const Eigen::MatrixXd& x() const { return x_; }          ///< all columns, unscaled
  /// Number of iterations seen so far.
  Index iterations() const { return static_cast<Index>(errors_.size()); }

 private:
  void look_for_null(const BlockIterate& at, std::size_t before, bool is_growing);

  const BlockScaling& scaling_;
  SampleColumns columns_;
  Index free_ = 0;
  std::vector<Vector> errors_;
  std::vector<Eigen::MatrixXd> probes_, left_;  ///< by iteration: the probes' solutions and their residuals
  Eigen::MatrixXd x_, null_;
  Vector growth_;
  double first_ = 0;
};

}  // namespace pithball::optim
