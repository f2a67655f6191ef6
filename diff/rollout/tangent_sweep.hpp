#pragma once
#include <string>
#include <vector>

#include "diff/rollout/initial_state.hpp"
#include "diff/rollout/rollout.hpp"
#include "diff/step/force_linearization.hpp"
#include "diff/step/step_derivative.hpp"
#include "sim/core/error.hpp"

namespace pithball::diff {

/// Derivatives along some directions, propagated step by step with tapes, in a forward run or from a recorded one.
class TangentSweep {
 public:
  /// `scenario` and `directions` (scenario.size()×P, in the flat layout) must outlive this object.
  TangentSweep(const Scenario& scenario, const Eigen::MatrixXd& directions)
      : s_(scenario),
        directions_(directions),
        derivative_(step_derivative(scenario.integrator.name(), scenario.model)),
        d_(directions.cols()),
        dx_(3 * scenario.model.particles(), directions.cols()),
        dv_(dx_) {
    if (directions.rows() != s_.size())
      throw InvalidArgument({"tangent", "directions", "must have " + std::to_string(s_.size()) + " rows",
                             std::to_string(directions.rows()), ""});
  }

  /// The derivative of the initial state. Returns why it has none along some direction, in a phrase; empty on success.
  std::string begin(const InitialState& start, const State& first) {
    const Index n = s_.model.particles();
    for (Index p = 0; p < directions_.cols(); ++p) {
      StateVariation& here = d_[p];
      here.x = directions_.col(p).segment(s_.position_offset(), 3 * n).reshaped(3, n);
      here.v = directions_.col(p).segment(s_.velocity_offset(), 3 * n).reshaped(3, n);
      here.values = directions_.col(p).head(s_.position_offset());
      if (std::string why = start.add_jvp(here.values, here.x); !why.empty()) return why;
      restrict_held(s_.model, here.x, here.v);
      derivative_.start_tangent(s_.model, first, here, cost_);
    }
    flatten();
    return "";
  }
  /// The derivative of the state after one more step.
  void advance(const sim::StepTape& tape) {
    derivative_.tangent(s_.model, tape, d_, cost_);
    flatten();
  }

  const Eigen::MatrixXd& dx() const { return dx_; }  ///< 3N×P
  const Eigen::MatrixXd& dv() const { return dv_; }  ///< 3N×P
  /// Of all steps so far.
  const DerivativeCost& cost() const { return cost_; }

 private:
  void flatten() {
    for (Index p = 0; p < dx_.cols(); ++p) {
      dx_.col(p) = sim::flat(d_[p].x);
      dv_.col(p) = sim::flat(d_[p].v);
    }
  }

  const Scenario& s_;
  const Eigen::MatrixXd& directions_;
  const StepDerivative& derivative_;
  std::vector<StateVariation> d_;
  Eigen::MatrixXd dx_, dv_;
  DerivativeCost cost_;
};

}  // namespace pithball::diff
