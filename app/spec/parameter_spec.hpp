#pragma once
#include <vector>

#include "app/spec/recording.hpp"

namespace pithball::app {

/// Reads the list `fit.parameters` (`fit`: the node above it) and adds the parameters of free initial states.
std::vector<optim::Parameter> read_parameters(Node& fit, const Experiment& base,
                                              const std::vector<Recording>& recordings);

}  // namespace pithball::app
