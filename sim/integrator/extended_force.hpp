#pragma once
#include "sim/force/some_particles.hpp"

namespace pithball::sim {

/// Σ F over the terms that `select` accepts [N], where `earlier` is that sum without the particles behind its last:
/// only their part is summed, unless a term must be summed as a whole.
template <class Select>
Points extended_force(const Model& model, const State& s, const Points& earlier, Select select) {
  Points force = Points::Zero(3, model.particles());
  force.leftCols(earlier.cols()) = earlier;
  const SomeParticles joined = SomeParticles::from(model, s, earlier.cols());
  for (const auto& term : model.terms()) {
    if (!select(*term) || term->as<Kick>()) continue;
    if (joined.add_force(term, force)) continue;
    force.setZero();
    model.add_forces(s, force, select);
    break;
  }
  return force;
}

}  // namespace pithball::sim
