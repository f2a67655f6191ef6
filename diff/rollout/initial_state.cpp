#include "diff/rollout/initial_state.hpp"

#include "sim/linear/conjugate_gradients.hpp"

namespace pithball::diff {

InitialState::InitialState(const Scenario& s) : model_(s.model), state_(s.initial) {
  if (!s.rest_near) return;
  equilibrium_ = sim::find_equilibrium(s.model, {s.initial.t, *s.rest_near, {}});
  rest_ = {s.initial.t, equilibrium_->x, Points::Zero(3, s.model.particles())};
  state_.x += equilibrium_->x;
}

Points InitialState::solve(const Points& rhs) const {
  Points x;
  sim::solve_conjugate_gradients([this](const Points& in, Points& out) { sim::apply_stiffness(model_, rest_, in, out); },
                                 *equilibrium_->preconditioner, rhs, 1e-12, 1000, x);
  return x;
}

void InitialState::add_jvp(const Vector& dvalues, Points& dx) const {
  if (!equilibrium_) return;
  const Points none = Points::Zero(3, model_.particles());
  Points df = none;
  for (const auto& term : model_.terms()) term->add_jvp(model_, rest_, {none, none, dvalues}, df);
  model_.clear_held(df);
  dx += solve(df);
}

void InitialState::add_vjp(const Points& a, Vector& gvalues) const {
  if (!equilibrium_) return;
  Points rhs = a;
  model_.clear_held(rhs);
  sim::Variation g = sim::Variation::zero(model_.particles(), gvalues.size());
  const Points w = solve(rhs);
  for (const auto& term : model_.terms()) term->add_vjp(model_, rest_, w, g);
  gvalues += g.values;
}

}  // namespace pithball::diff
