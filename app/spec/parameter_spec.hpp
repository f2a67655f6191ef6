#pragma once
#include <vector>

#include "app/spec/recording.hpp"

namespace pithball::app {

/// Reads the list `fit.parameters` (`fit` is the node above it) and adds what free initial states need.
std::vector<optim::Parameter> read_parameters(Node& fit, const Experiment& base,
                                              const std::vector<Recording>& recordings);

}  // namespace pithball::app
