#pragma once
#include <memory>
#include <string>

#include "diff/rollout/rollout.hpp"
#include "sim/run/equilibrium.hpp"

namespace pithball::diff {

/// Where a scenario starts, as a function of its physical values: the state as given, or the given displacements added
/// to the model's own position of rest, which moves with the values:
///   F(x_eq, values) = 0   gives   K δx_eq = ∂F/∂values δvalues,   K = −∂F/∂x.
/// Where the body is loose (K has zero modes) δx_eq is the least solution, and there is none if the forces ∂F/∂values
/// δvalues act along such a mode.
class InitialState {
 public:
  explicit InitialState(const Scenario& scenario);

  /// False if the rest position was asked for and not found.
  bool found() const { return failure().empty(); }
  /// Why not.
  const std::string& failure() const;
  const State& state() const { return state_; }
  /// The position of rest; null where the state is as given.
  const std::shared_ptr<const sim::Equilibrium>& rest() const { return equilibrium_; }

  /// δx_0 caused by a change of the physical values (of the model), added to dx. Returns why there is none, in a
  /// phrase; empty: there is.
  std::string add_jvp(const Vector& dvalues, Points& dx) const;
  /// Its transpose: for a = ∂L/∂x_0 adds ∂L/∂values, which holds for values whose forces do not act along loose modes.
  /// Returns why it could not be found; empty: it was.
  std::string add_vjp(const Points& a, Vector& gvalues) const;
  /// Whether each column of directions (in a scenario's flat layout) has its δx_0; nothing is solved.
  std::string check(const Eigen::MatrixXd& directions) const;

 private:
  /// ∂F/∂values δvalues at rest.
  Points force_change(const Vector& dvalues) const;
  /// What keeps a change of the forces from being balanced.
  std::string complaint(const Points& change) const;

  const sim::Model& model_;
  State state_, rest_;
  std::shared_ptr<const sim::Equilibrium> equilibrium_;
};

}  // namespace pithball::diff
