#pragma once
#include <string>
#include <vector>

#include "experiments/yaml/node.hpp"
#include "optim/prior.hpp"

namespace pithball::experiments {

/// Reads `prior:` of a parameter (`settings` is the node above it), whose unit is given: kinds by their names, any
/// number of them.
std::vector<optim::Prior> read_priors(Node& settings, const std::string& unit);

}  // namespace pithball::experiments
