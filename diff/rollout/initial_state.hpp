#pragma once
#include <optional>

#include "diff/rollout/rollout.hpp"
#include "sim/run/equilibrium.hpp"

namespace pithball::diff {

/// Where a scenario starts, as a function of its physical values: the state as given, or the given displacements added to
/// the model's own position of rest, which moves with the values:
///   F(x_eq, values) = 0   gives   K δx_eq = ∂F/∂values δvalues,   K = −∂F/∂x.
class InitialState {
 public:
  explicit InitialState(const Scenario& scenario);

  /// False if the rest position was asked for and not found.
  bool found() const { return !equilibrium_ || equilibrium_->found; }
  const State& state() const { return state_; }
  /// δx_0 caused by a change of the physical values (of the model), added to dx.
  void add_jvp(const Vector& dvalues, Points& dx) const;
  /// Its transpose: for a = ∂L/∂x_0 adds ∂L/∂values.
  void add_vjp(const Points& a, Vector& gvalues) const;

 private:
  Points solve(const Points& rhs) const;
  const sim::Model& model_;
  State state_, rest_;
  std::optional<sim::Equilibrium> equilibrium_;
};

}  // namespace pithball::diff
