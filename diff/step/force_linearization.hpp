#pragma once
#include "sim/model/model.hpp"

namespace pithball::diff {

using sim::every_term;

/// df += Σ over the selected terms of their change along d.
template <class Select>
void add_force_jvp(const sim::Model& model, const sim::State& s, const sim::Variation& d, sim::Points& df,
                   Select select) {
  for (const auto& term : model.terms())
    if (select(*term)) term->add_jvp(model, s, d, df);
}

/// The same along several directions.
template <class Select>
void add_force_jvps(const sim::Model& model, const sim::State& s, const sim::Directions& d, sim::Panel& df,
                    Select select) {
  for (const auto& term : model.terms())
    if (select(*term)) term->add_jvps(model, s, d, df);
}

/// g += Σ over the selected terms of their transposed linearization applied to w.
template <class Select>
void add_force_vjp(const sim::Model& model, const sim::State& s, const sim::Points& w, sim::Variation& g,
                   Select select) {
  for (const auto& term : model.terms())
    if (select(*term)) term->add_vjp(model, s, w, g);
}

/// ∂F/∂t of all terms [N/s] where free particles stay and driven ones follow their paths: a central difference over
/// ±probe [s], exactly 0 if nothing depends on time.
inline sim::Points force_rate(const sim::Model& model, const sim::State& s, double probe) {
  const auto force_at = [&](double t) {
    sim::State at{t, s.x, s.v};
    model.place_held(t, at.x, &at.v);
    sim::Points force = sim::Points::Zero(3, model.particles());
    model.add_forces(at, force, every_term);
    return force;
  };
  return (force_at(s.t + probe) - force_at(s.t - probe)) / (2 * probe);
}

/// Whether any term is selected; passes without terms are skipped.
template <class Select>
bool has_terms(const sim::Model& model, Select select) {
  for (const auto& term : model.terms())
    if (select(*term)) return true;
  return false;
}

/// Effect of a step on the variation of held particles: positions of pinned ones do not change, those of driven ones
/// and the velocities of both are prescribed. The same for both directions.
inline void restrict_held(const sim::Model& model, sim::Points& x, sim::Points& v) {
  for (const auto& held : model.topology().held) {
    if (held.path) x.col(held.particle).setZero();
    v.col(held.particle).setZero();
  }
}

/// The same of several directions.
inline void restrict_held(const sim::Model& model, sim::Panel& x, sim::Panel& v) {
  for (const auto& held : model.topology().held) {
    if (held.path) sim::of_particle(x, held.particle).setZero();
    sim::of_particle(v, held.particle).setZero();
  }
}

/// Sets the entries of held particles to 0.
inline void clear_held(const sim::Model& model, sim::Panel& panel) {
  for (const auto& held : model.topology().held) sim::of_particle(panel, held.particle).setZero();
}

/// Positions of held particles at a new time: pinned ones move with `x`, driven ones do not (variations only).
inline void place_held_variation(const sim::Model& model, const sim::Panel& x, sim::Panel& at) {
  for (const auto& held : model.topology().held) {
    if (held.path)
      sim::of_particle(at, held.particle).setZero();
    else
      sim::of_particle(at, held.particle) = sim::of_particle(x, held.particle);
  }
}

}  // namespace pithball::diff
