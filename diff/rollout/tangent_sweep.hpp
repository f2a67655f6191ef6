#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "diff/rollout/initial_state.hpp"
#include "diff/rollout/rollout.hpp"
#include "diff/step/force_linearization.hpp"
#include "diff/step/step_derivative.hpp"
#include "sim/core/error.hpp"
#include "sim/core/stop.hpp"

namespace pithball::diff {

/// Derivatives along some directions, propagated step by step with tapes, in a forward run or from a recorded one.
class TangentSweep {
 public:
  /// `scenario` and `directions` (scenario.size()×P, in the flat layout) must outlive this object.
  TangentSweep(const Scenario& scenario, const Eigen::MatrixXd& directions)
      : s_(scenario),
        directions_(directions),
        derivative_(step_derivative(scenario.integrator.name(), scenario.model)),
        dx_(3 * scenario.model.particles(), directions.cols()),
        dv_(dx_) {
    if (directions.rows() != s_.size())
      throw InvalidArgument({"tangent", "directions", "must have " + std::to_string(s_.size()) + " rows",
                             std::to_string(directions.rows()), ""});
  }

  /// The derivative of the initial state. Returns why it has none along some direction, in a phrase; empty on success.
  std::string begin(const InitialState& start, const State& first) {
    const Index n = s_.model.particles();
    for (Index at = 0; at < directions_.cols(); at += group_size) {
      const auto mine = directions_.middleCols(at, std::min(group_size, directions_.cols() - at));
      StateDirections& d = groups_.emplace_back();
      d.x = mine.middleRows(s_.position_offset(), 3 * n).transpose();
      d.v = mine.middleRows(s_.velocity_offset(), 3 * n).transpose();
      d.values = std::make_shared<const sim::ValueDirections>(mine.topRows(s_.position_offset()));
      for (Index p = 0; p < d.count(); ++p) {
        sim::Variation one = d.alone(p);
        if (std::string why = start.add_jvp(one.values, one.x); !why.empty()) return why;
        d.set(p, one);
      }
      restrict_held(s_.model, d.x, d.v);
      derivative_.start_tangent(s_.model, first, d, cost_);
    }
    flatten();
    return "";
  }
  /// The derivative of the state after one more step.
  void advance(const sim::StepTape& tape) {
    sim::require_not_stopped();
    derivative_.tangent(s_.model, tape, groups_, cost_);
    flatten();
  }

  const Eigen::MatrixXd& dx() const { return dx_; }  ///< 3N×P
  const Eigen::MatrixXd& dv() const { return dv_; }  ///< 3N×P
  /// Of all steps so far.
  const DerivativeCost& cost() const { return cost_; }

 private:
  void flatten() {
    Index at = 0;
    for (const StateDirections& d : groups_) {
      dx_.middleCols(at, d.count()) = d.x.matrix().transpose();
      dv_.middleCols(at, d.count()) = d.v.matrix().transpose();
      at += d.count();
    }
  }

  /// Directions that are carried together: what a step computes once for all of them weighs little then, and their
  /// columns of two particles are in the first cache still.
  static constexpr Index group_size = 64;

  const Scenario& s_;
  const Eigen::MatrixXd& directions_;
  const StepDerivative& derivative_;
  std::vector<StateDirections> groups_;
  Eigen::MatrixXd dx_, dv_;
  DerivativeCost cost_;
};

}  // namespace pithball::diff
