#pragma once
#include "optim/residual/residual.hpp"

namespace pithball::optim {

/// A residual whose value and derivative at one θ are known: the first evaluation of both at that θ returns them. All
/// other evaluations are passed on.
class KnownResidual final : public Residual {
 public:
  /// `inner` must outlive this object.
  explicit KnownResidual(const Residual& inner) : inner_(inner) {}
  /// r (R) and J (R×P) at θ (P). They are kept until they are requested.
  void know(Vector theta, Vector r, Eigen::MatrixXd jacobian);
  Index rows() const override { return inner_.rows(); }
  Index parameters() const override { return inner_.parameters(); }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override;
  Evaluation linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const override;

 private:
  const Residual& inner_;
  mutable Vector theta_, r_;  ///< empty: nothing is known
  mutable Eigen::MatrixXd jacobian_;
};

}  // namespace pithball::optim
