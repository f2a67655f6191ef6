#pragma once
#include "diff/rollout/rollout.hpp"

namespace pithball::diff {

/// A scalar L = Σ_n l_n(x_n, v_n) of a rollout, with its direct derivatives. Evaluation has no side effects.
class TrajectoryLoss {
 public:
  virtual ~TrajectoryLoss() = default;
  /// l_n at step n = 0…steps.
  virtual double value(Index n, const State& state) const = 0;
  /// Adds ∂l_n/∂x_n and ∂l_n/∂v_n.
  virtual void add_gradient(Index n, const State& state, Points& gx, Points& gv) const = 0;
};

/// A loss without a recording, for checking derivatives: every position and velocity of every step contributes, with
/// fixed pseudo-random weights w between 1/2 and 3/2,
///   L = (1/(N steps)) Σ_{n≥1} Σ_i w_ni ½ ( |x_ni − c_i|²/l² + |v_ni − u_i|² T²/l² ),
/// where c and u are fixed offsets of size l and l/T from the initial state, so that no derivative vanishes at the
/// start.
class ProbeLoss final : public TrajectoryLoss {
 public:
  /// Chooses l, T and the offsets from the scenario's initial state and duration.
  explicit ProbeLoss(const Scenario& scenario);
  double value(Index n, const State& state) const override;
  void add_gradient(Index n, const State& state, Points& gx, Points& gv) const override;

 private:
  Points x_offset_, v_offset_;  // c and u
  double length_, time_, scale_;
};

}  // namespace pithball::diff
