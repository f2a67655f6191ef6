#include "optim/residual/known_residual.hpp"

#include <utility>

namespace pithball::optim {
namespace {

/// A run with these directions takes about three times as long as one without. A point that is accepted saves one
/// without; one that is rejected wastes the derivatives.
constexpr Index most_foreseen = 4;

}  // namespace

void KnownResidual::know(Vector theta, Vector r, Eigen::MatrixXd jacobian) {
  theta_ = std::move(theta);
  r_ = std::move(r);
  jacobian_ = std::move(jacobian);
}

void KnownResidual::foresee() { may_foresee_ = foresees_ = parameters() <= most_foreseen; }

Evaluation KnownResidual::evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const {
  return jacobian ? evaluate_both(theta, r, *jacobian) : evaluate_value(theta, r);
}

Evaluation KnownResidual::evaluate_both(const Vector& theta, Vector& r, Eigen::MatrixXd& jacobian) const {
  foresees_ = may_foresee_;
  if (theta_.size() == 0 || theta_ != theta) return inner_.evaluate(theta, r, &jacobian);
  r = std::exchange(r_, {});
  jacobian = std::exchange(jacobian_, {});
  theta_.resize(0);
  return {};
}

Evaluation KnownResidual::evaluate_value(const Vector& theta, Vector& r) const {
  if (may_foresee_ && theta_.size() > 0) {  // nobody asked for that derivative
    foresees_ = false;
    theta_.resize(0);
  }
  Eigen::MatrixXd jacobian;
  // A derivative may fail where the value does not.
  if (!foresees_ || !inner_.evaluate(theta, r, &jacobian).ok()) return inner_.evaluate(theta, r, nullptr);
  theta_ = theta;
  r_ = r;
  jacobian_ = std::move(jacobian);
  return {};
}

Evaluation KnownResidual::linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const {
  return inner_.linearize(theta, at);
}

}  // namespace pithball::optim
