#include "experiments/export/exported_motion.hpp"

#include "sim/force/spring_force.hpp"

namespace pithball::experiments {

Vector ExportedMotion::stiffness() const {
  const sim::SpringForce* springs = sim::find_springs(model);
  return springs ? springs->stiffness(model) : Vector();
}

Vector ExportedMotion::rest_length() const {
  const sim::SpringForce* springs = sim::find_springs(model);
  return springs ? springs->rest_length(model) : Vector();
}

std::vector<bool> ExportedMotion::held(bool moves) const {
  std::vector<bool> found(static_cast<std::size_t>(particles()), false);
  for (const sim::Held& held : model.topology().held)
    if ((held.path && held.path->moves()) == moves) found[static_cast<std::size_t>(held.particle)] = true;
  return found;
}

}  // namespace pithball::experiments
