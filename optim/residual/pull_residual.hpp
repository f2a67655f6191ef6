#pragma once
#include "optim/parameter/parameter_map.hpp"
#include "optim/residual/residual.hpp"

namespace pithball::optim {

/// A pull of θ toward its start, r_k = (θ_k − start_k)/width_k, for the early stages of a search: what their few
/// frames hardly tell, as a drag before anything is braked, stays near its start instead of following their noise to
/// where no later stage finds it, to 1e-300 where nothing has a derivative left. The width is a change of θ by 1, a
/// factor e on a logarithmic scale; of a θ that has a unit, its start. Nuisance, and a θ with a unit and the start 0,
/// are left alone.
class PullResidual final : public Residual {
 public:
  explicit PullResidual(const ParameterMap& map);
  Index rows() const override { return start_.size(); }
  Index parameters() const override { return start_.size(); }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override;

 private:
  Vector start_, weight_;  ///< weight: 1/width
};

}  // namespace pithball::optim
