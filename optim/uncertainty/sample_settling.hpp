#pragma once
#include <vector>

#include "optim/search/conjugate_gradients.hpp"

namespace pithball::optim {

/// The iteration, counted from 0, that lies a fifth of them before the n-th, and two at least.
std::size_t a_fifth_back(Index n);

/// √ of the mean square over the columns, by row.
Vector mean_roots(const Eigen::MatrixXd& columns);

/// Which columns of a block of systems are what: the first are samples, the last probes.
struct SampleColumns {
  Index samples = 0, probes = 0;
};

/// Watches block conjugate gradients on samples δ_n of a posterior, and on probes that begin with a part of every
/// direction. A value's root mean square over the samples is settled once it has grown by less than a tenth over the
/// last fifth of the iterations: errors are found from below. Along a direction without information probes grow without
/// bound, while samples have no part of it.
class SampleSettling {
 public:
  /// `free`: of how many values a hundredth need not settle. `scaling` must outlive this object.
  SampleSettling(const BlockScaling& scaling, SampleColumns columns, Index free)
      : scaling_(scaling), columns_(columns), free_(free) {}

  /// To be asked after every iteration.
  bool is_enough(const BlockIterate& at);

  bool is_settled(Index k) const;
  bool has_null() const { return null_.cols() > 0; }
  /// Directions without information, in scaled coordinates: of length 1 together.
  const Eigen::MatrixXd& null() const { return null_; }
  const Vector& errors() const { return errors_.back(); }  ///< root mean squares of θ, P
  const Eigen::MatrixXd& x() const { return x_; }          ///< all columns, no longer scaled
  Index iterations() const { return static_cast<Index>(errors_.size()); }

 private:
  void look_for_null(const BlockIterate& at, std::size_t before, bool is_growing);

  const BlockScaling& scaling_;
  SampleColumns columns_;
  Index free_ = 0;
  std::vector<Vector> errors_;
  std::vector<Eigen::MatrixXd> probes_, left_;  ///< by iteration: what probes came to, and their residuals
  Eigen::MatrixXd x_, null_;
  Vector growth_;
  double first_ = 0;
};

}  // namespace pithball::optim
