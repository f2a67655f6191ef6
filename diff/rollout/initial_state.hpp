#pragma once
#include <memory>
#include <string>

#include "diff/rollout/rollout.hpp"
#include "sim/run/equilibrium.hpp"

namespace pithball::diff {

/// The initial state of a scenario as a function of its physical values: a given state, or given displacements from the
/// model's equilibrium, which changes with the values:
///   F(x_eq, values) = 0   gives   K δx_eq = ∂F/∂values δvalues,   K = −∂F/∂x.
/// If the body has zero modes of K, δx_eq is the smallest solution, and there is none if the forces ∂F/∂values δvalues
/// act along such a mode.
class InitialState {
 public:
  /// Looks for the equilibrium if the scenario requests one. The scenario's model must outlive this object.
  explicit InitialState(const Scenario& scenario);

  /// False if an equilibrium was requested and not found.
  bool found() const { return failure().empty(); }
  /// Why the equilibrium was not found; empty otherwise.
  const std::string& failure() const;
  /// x_0 [m] and v_0 [m/s]; meaningless if an equilibrium was not found.
  const State& state() const { return state_; }
  /// The equilibrium; null for a given state.
  const std::shared_ptr<const sim::Equilibrium>& rest() const { return equilibrium_; }

  /// Adds to dx the change δx_0 for a change of the model's physical values. Returns why there is none, in a phrase;
  /// empty on success.
  std::string add_jvp(const Vector& dvalues, Points& dx) const;
  /// The transpose: for a = ∂L/∂x_0 adds ∂L/∂values, valid for values whose forces do not act along zero modes. Returns
  /// why it could not be computed; empty on success.
  std::string add_vjp(const Points& a, Vector& gvalues) const;
  /// Whether each column of directions (in a scenario's flat layout) has a δx_0; solves nothing.
  std::string check(const Eigen::MatrixXd& directions) const;

 private:
  /// ∂F/∂values δvalues at the equilibrium.
  Points force_change(const Vector& dvalues) const;
  /// Why a change of the forces cannot be balanced.
  std::string complaint(const Points& change) const;

  const sim::Model& model_;
  State state_, rest_;
  std::shared_ptr<const sim::Equilibrium> equilibrium_;
};

}  // namespace pithball::diff
