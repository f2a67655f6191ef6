#pragma once
#include "optim/residual/residual.hpp"

namespace pithball::optim {

/// A residual whose value and derivative at one θ are known: the first evaluation of both at that θ returns them. All
/// other evaluations are passed on.
///
/// Levenberg–Marquardt asks for the value at each point that it tries, and for both at those that it accepts. Once told
/// to foresee this, evaluations of a value compute the derivative too, as long as the last one was asked for.
class KnownResidual final : public Residual {
 public:
  /// `inner` must outlive this object.
  explicit KnownResidual(const Residual& inner) : inner_(inner) {}
  /// r (R) and J (R×P) at θ (P). They are kept until they are requested.
  void know(Vector theta, Vector r, Eigen::MatrixXd jacobian);
  /// From now on derivatives are foreseen, if they are cheap: a few columns.
  void foresee();
  Index rows() const override { return inner_.rows(); }
  Index parameters() const override { return inner_.parameters(); }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override;
  Evaluation linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const override;

 private:
  Evaluation evaluate_both(const Vector& theta, Vector& r, Eigen::MatrixXd& jacobian) const;
  Evaluation evaluate_value(const Vector& theta, Vector& r) const;

  const Residual& inner_;
  bool may_foresee_ = false;
  mutable bool foresees_ = false;  ///< whether the derivative of the last value was asked for
  mutable Vector theta_, r_;       ///< empty: nothing is known
  mutable Eigen::MatrixXd jacobian_;
};

}  // namespace pithball::optim
