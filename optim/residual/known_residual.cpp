#include "optim/residual/known_residual.hpp"

#include <utility>

namespace pithball::optim {

void KnownResidual::know(Vector theta, Vector r, Eigen::MatrixXd jacobian) {
  theta_ = std::move(theta);
  r_ = std::move(r);
  jacobian_ = std::move(jacobian);
}

Evaluation KnownResidual::evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const {
  if (!jacobian || theta_.size() == 0 || theta_ != theta) return inner_.evaluate(theta, r, jacobian);
  r = std::exchange(r_, {});
  *jacobian = std::exchange(jacobian_, {});
  theta_.resize(0);
  return {};
}

Evaluation KnownResidual::linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const {
  return inner_.linearize(theta, at);
}

}  // namespace pithball::optim
