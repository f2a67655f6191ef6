#include "sim/integrator/impulses.hpp"

#include <algorithm>

namespace pithball::sim {

void apply_velocity_flows(const Model& model, const State& at, double h, const FlowChoice& choice, Points& v,
                          const FlowObserver& observe) {
  std::vector<const ForceTerm*> flows;
  for (const auto& term : model.terms())
    if (choice.selects(*term)) flows.push_back(term.get());
  if (flows.empty()) return;
  if (choice.order == FlowOrder::Backward) std::reverse(flows.begin(), flows.end());
  State now{at.t, at.x, {}};
  for (const ForceTerm* term : flows) {
    now.v = v;
    term->as<VelocityFlow>()->flow_velocity(model, now, h, v);
    for (const Held& held : model.topology().held) v.col(held.particle) = now.v.col(held.particle);
    if (observe) observe(*term, now.v, v);
  }
}

namespace {

double kinetic_energy_of_held(const Model& model, const Points& v) {
  const auto of = [&](Index i) { return model.mass()[i] / 2 * v.col(i).squaredNorm(); };
  double sum = 0;
  if (model.is_tracers())
    for (Index i = 0; i < model.particles(); ++i) sum += of(i);
  else
    for (const Held& held : model.topology().held) sum += of(held.particle);
  return sum;
}

/// Returns U(x, until) − U(x, from), summed over the potentials that depend on time.
double potential_rise(const Model& model, const Points& x, double from, double until) {
  State at{from, x, Points::Zero(3, x.cols())};
  double rise = 0;
  for (const auto& term : model.terms()) {
    if (!term->changes_between(from, until)) continue;
    at.t = until;
    rise += term->energy(model, at).value_or(0);
    at.t = from;
    rise -= term->energy(model, at).value_or(0);
  }
  return rise;
}

}  // namespace

Impulses::Impulses(const Model& model) : particles_(model.particles()) {
  for (const Held& held : model.topology().held) driven_ = driven_ || held.path;
}

Points& Impulses::of(LossKind kind) {
  Points& impulse = of_kind_[static_cast<std::size_t>(kind)];
  if (impulse.cols() == 0) impulse = Points::Zero(3, particles_);
  return impulse;
}

void Impulses::add_reactions(const Model& model, double weight, const Points& f) {
  if (!driven_) return;
  Points& drivers = of(LossKind::Drivers);
  for (const Held& held : model.topology().held) drivers.col(held.particle) -= weight * f.col(held.particle);
}

void Impulses::add_all(const Model& model, const State& s, double weight) {
  Points force = Points::Zero(3, particles_);
  add_forces(model, s, force, weight, [this](const ForceTerm& term) { return driven_ || books(term); });
  add_reactions(model, weight, force);
}

void Impulses::add(double factor, const Impulses& other) {
  driven_ = driven_ || other.driven_;
  for (std::size_t k = 0; k < of_kind_.size(); ++k)
    if (other.of_kind_[k].cols() > 0) of(static_cast<LossKind>(k)) += factor * other.of_kind_[k];
}

Losses Impulses::work(const Points& v) const {
  Losses taken;
  for (std::size_t k = 0; k < of_kind_.size(); ++k)
    if (of_kind_[k].cols() > 0) taken[k] = -flat(of_kind_[k]).dot(flat(v));
  return taken;
}

void book_flow(const Model& model, const ForceTerm& term, const State& before, double h, const Points& after,
               Losses& book) {
  if (!Impulses::books(term)) return;
  const LossKind kind = *term.traits().loss;
  for (Index i = 0; i < model.particles(); ++i)
    if (!model.is_held(i))  // |u|² − |v|², without cancellation
      book[kind] += model.mass()[i] / 2 * (before.v.col(i) - after.col(i)).dot(before.v.col(i) + after.col(i));
  if (!Impulses(model).driven()) return;
  Points impulse = Points::Zero(3, model.particles());
  term.as<VelocityFlow>()->add_flow_impulse(model, before, h, impulse);
  for (const Held& held : model.topology().held) {
    const double work = impulse.col(held.particle).dot(before.v.col(held.particle));
    book[kind] -= work;
    book[LossKind::Drivers] += work;
  }
}

void book_surroundings(const Model& model, const State& before, const State& after, int order, Losses& book) {
  double& drivers = book[LossKind::Drivers];
  drivers -= kinetic_energy_of_held(model, after.v) - kinetic_energy_of_held(model, before.v);
  bool changes = false;
  for (const auto& term : model.terms()) changes = changes || term->changes_between(before.t, after.t);
  if (!changes) return;
  if (order <= 2) {
    drivers -= potential_rise(model, (before.x + after.x) / 2, before.t, after.t);
    return;
  }
  const double middle = before.t + (after.t - before.t) / 2;
  const double whole = potential_rise(model, on_the_way(before, after, 0.5), before.t, after.t),
               halves = potential_rise(model, on_the_way(before, after, 0.25), before.t, middle) +
                        potential_rise(model, on_the_way(before, after, 0.75), middle, after.t);
  drivers -= (4 * halves - whole) / 3;
}

Points acceleration(const Model& model, const State& state, Impulses* impulses, double weight) {
  Points force = Points::Zero(3, model.particles());
  if (model.is_tracers()) return force;  // tracers have no mass to divide by
  add_forces(model, state, force, every_term, impulses, weight);
  if (impulses) impulses->add_reactions(model, weight, force);
  model.clear_held(force);
  return force * model.mass().cwiseInverse().asDiagonal();
}

Points stage_acceleration(const Model& model, State& stage, Impulses* impulses, double weight) {
  model.place_held(stage.t, stage.x, &stage.v);
  return acceleration(model, stage, impulses, weight);
}

}  // namespace pithball::sim
