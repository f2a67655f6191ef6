#pragma once
#include <string>
#include <vector>

#include "app/yaml/node.hpp"
#include "optim/parameter/prior.hpp"

namespace pithball::app {

/// Reads `prior:` of a parameter (`settings` is the node above it), whose unit is given: kinds by their names, any
/// number of them.
std::vector<optim::Prior> read_priors(Node& settings, const std::string& unit);

}  // namespace pithball::app
