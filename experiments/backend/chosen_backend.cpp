#include "experiments/backend/chosen_backend.hpp"

#include "experiments/backend/backend.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {

std::string chosen_backend(const Tree& filled) {
  const Tree* simulation = filled.find("simulation");
  const Tree* name = simulation ? simulation->find("backend") : nullptr;
  return name ? name->text : own_backend;
}

void require_own_backend(const Tree& filled, const std::string& command) {
  const std::string name = chosen_backend(filled);
  if (name != own_backend)
    throw InvalidArgument({"simulation.backend", "", "must be pithball for `pithball " + command + "`", name,
                           "leave it out; `pithball simulate` and `compare.methods` know others"});
}

}  // namespace pithball::experiments
