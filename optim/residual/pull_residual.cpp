#include "optim/residual/pull_residual.hpp"

#include <cmath>

namespace pithball::optim {

PullResidual::PullResidual(const ParameterMap& map) : start_(map.initial()), weight_(Vector::Ones(map.size())) {
  for (Index k = 0; k < map.size(); ++k) {
    const ParameterInfo& info = map.info()[k];
    if (info.transform.kind() == Transform::Kind::Identity) weight_[k] = start_[k] == 0 ? 0 : 1 / std::abs(start_[k]);
    if (info.is_nuisance) weight_[k] = 0;
  }
}

Evaluation PullResidual::evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const {
  r = weight_.cwiseProduct(theta - start_);
  if (jacobian) *jacobian = weight_.asDiagonal();
  return {};
}

}  // namespace pithball::optim
