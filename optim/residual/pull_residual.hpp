#pragma once
#include "optim/parameter/parameter_map.hpp"
#include "optim/residual/residual.hpp"

namespace pithball::optim {

/// A weak pull of θ toward its start, r_k = (θ_k − start_k)/width_k, for the early stages of a search: values that
/// their few frames hardly determine, such as a drag before anything slows down, stay near their start instead of
/// drifting, for example to 1e-300, where no later stage finds a derivative. The width is a change of θ by 1, which is
/// a factor of e on a logarithmic scale; for a θ with a unit, its start. Nuisance parameters, and a θ with a unit and
/// start 0, are not pulled.
class PullResidual final : public Residual {
 public:
  /// Start and widths from the map; it is not kept.
  explicit PullResidual(const ParameterMap& map);
  Index rows() const override { return start_.size(); }
  Index parameters() const override { return start_.size(); }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override;

 private:
  Vector start_, weight_;  ///< weight: 1/width
};

}  // namespace pithball::optim
