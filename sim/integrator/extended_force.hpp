#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/force/some_particles.hpp"

namespace pithball::sim {

/// Whether the force of a term on particles at given positions is certainly the same at t [s] and at times that differ
/// from it by rounding: it has a potential that does not change then.
inline bool is_steady(const ForceTerm& term, double t) {
  const double rounding = 4096 * std::numeric_limits<double>::epsilon() * std::abs(t);
  return term.traits().energy && !term.changes_between(t - rounding, t + rounding);
}

/// Σ F over the terms that `select` accepts [N], where `earlier` is that sum without the particles behind its last:
/// only their part is summed, unless a term must be summed as a whole.
///
/// Within a step time is rounded otherwise than at its end, where a resumed run begins: so that both have the same
/// bits, all is summed again where forces depend on time.
template <class Select>
Points extended_force(const Model& model, const State& s, const Points& earlier, Select select) {
  Points force = Points::Zero(3, model.particles());
  force.leftCols(earlier.cols()) = earlier;
  const SomeParticles joined = SomeParticles::from(model, s, earlier.cols());
  const bool driven = std::ranges::any_of(model.topology().held, [](const Held& held) { return bool(held.path); });
  for (const auto& term : model.terms()) {
    if (!select(*term) || term->as<Kick>()) continue;
    if (!driven && is_steady(*term, s.t) && joined.add_force(term, force)) continue;
    force.setZero();
    model.add_forces(s, force, select);
    break;
  }
  return force;
}

}  // namespace pithball::sim
