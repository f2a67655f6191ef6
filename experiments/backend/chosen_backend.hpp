#pragma once
#include <string>

#include "experiments/yaml/tree.hpp"

namespace pithball::experiments {

/// Who makes the steps: `simulation.backend` of a document with every default filled in.
std::string chosen_backend(const Tree& filled);

/// Throws InvalidArgument unless that is Pithball itself, which `command` needs.
void require_own_backend(const Tree& filled, const std::string& command);

}  // namespace pithball::experiments
