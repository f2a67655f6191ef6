#pragma once
#include "optim/residual/residual.hpp"

namespace pithball::optim {

/// Two residuals of the same θ, stacked: r = [above; below], so that their costs add up. Usually data above, priors
/// below.
class StackedResidual final : public Residual {
 public:
  /// Both must outlive this object; throws InvalidArgument unless they have the same number of parameters.
  StackedResidual(const Residual& above, const Residual& below);
  Index rows() const override { return above_.rows() + below_.rows(); }
  Index parameters() const override { return above_.parameters(); }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override;
  Evaluation linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const override;

 private:
  const Residual& above_;
  const Residual& below_;
};

}  // namespace pithball::optim
