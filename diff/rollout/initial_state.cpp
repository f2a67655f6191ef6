#include "diff/rollout/initial_state.hpp"

#include "sim/run/mode_name.hpp"

namespace pithball::diff {
namespace {

/// Forces with a relative component along a loose mode below this count as orthogonal to it: modes are accurate to
/// about 1e-10.
constexpr double balanced = 1e-8;

}  // namespace

std::string to_string(const RolloutStatus& status) {
  return status.cause.empty() ? sim::to_string(status.status) + " at step " + std::to_string(status.step)
                              : status.cause;
}

InitialState::InitialState(const Scenario& s) : model_(s.model), state_(s.initial) {
  if (!s.rest_near) return;
  equilibrium_ = std::make_shared<sim::Equilibrium>(sim::find_equilibrium(s.model, {s.initial.t, *s.rest_near, {}}));
  rest_ = {s.initial.t, equilibrium_->x, Points::Zero(3, s.model.particles())};
  state_.x += equilibrium_->x;
}

const std::string& InitialState::failure() const {
  static const std::string none;
  return equilibrium_ ? equilibrium_->failure : none;
}

Points InitialState::force_change(const Vector& dvalues) const {
  const Points none = Points::Zero(3, model_.particles());
  Points df = none;
  for (const auto& term : model_.terms()) term->add_jvp(model_, rest_, {none, none, dvalues}, df);
  model_.clear_held(df);
  return df;
}

std::string InitialState::complaint(const Points& change) const {
  const sim::StiffnessModes& modes = equilibrium_->modes;
  if (!(equilibrium_->stiffness->part_along(change, modes.loose) > balanced)) return "";
  return "the position of rest is not unique: the body " +
         sim::name_mode(model_, rest_.x, modes.loose, sim::flat(change)) +
         " freely, and what is to be found pushes it along";
}

std::string InitialState::add_jvp(const Vector& dvalues, Points& dx) const {
  if (!equilibrium_) return "";
  const Points change = force_change(dvalues);
  if (std::string why = complaint(change); !why.empty()) return why;
  Points moved;
  std::string why = equilibrium_->stiffness->solve(change, equilibrium_->modes, moved);
  if (why.empty()) dx += moved;
  return why;
}

std::string InitialState::add_vjp(const Points& a, Vector& gvalues) const {
  if (!equilibrium_) return "";
  Points w;
  if (std::string why = equilibrium_->stiffness->solve(a, equilibrium_->modes, w); !why.empty()) return why;
  sim::Variation g = sim::Variation::zero(model_.particles(), gvalues.size());
  for (const auto& term : model_.terms()) term->add_vjp(model_, rest_, w, g);
  gvalues += g.values;
  return "";
}

std::string InitialState::check(const Eigen::MatrixXd& directions) const {
  if (!equilibrium_ || !equilibrium_->is_loose()) return "";
  for (Index p = 0; p < directions.cols(); ++p)
    if (std::string why = complaint(force_change(directions.col(p).head(model_.values().size()))); !why.empty())
      return why;
  return "";
}

}  // namespace pithball::diff
