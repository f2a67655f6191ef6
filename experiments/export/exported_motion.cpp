#include "experiments/export/exported_motion.hpp"

namespace pithball::experiments {

Vector ExportedMotion::spring_values(const std::string& block) const {
  const auto found = model.values().find(block);
  return found ? Vector(model.values()[*found]) : Vector();
}

std::vector<bool> ExportedMotion::held(bool moves) const {
  std::vector<bool> found(static_cast<std::size_t>(particles()), false);
  for (const sim::Held& held : model.topology().held)
    if ((held.path && held.path->moves()) == moves) found[static_cast<std::size_t>(held.particle)] = true;
  return found;
}

}  // namespace pithball::experiments
