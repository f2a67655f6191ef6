#pragma once
#include <string>
#include <vector>

#include "app/yaml/node.hpp"
#include "optim/parameter/prior.hpp"

namespace pithball::app {

/// Reads `prior:` of a parameter with this unit (`settings`: the node above it): any number of kinds by name.
std::vector<optim::Prior> read_priors(Node& settings, const std::string& unit);

}  // namespace pithball::app
