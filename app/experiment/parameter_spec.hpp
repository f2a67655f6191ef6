#pragma once
#include <vector>

#include "app/experiment/recording/recording.hpp"
#include "optim/parameter/parameter_map.hpp"

namespace pithball::app {

/// Reads the list `fit.parameters` (`fit`: the node above it) and adds the parameters of free initial states.
std::vector<optim::Parameter> read_parameters(Node& fit, const Experiment& base,
                                              const std::vector<Recording>& recordings);

/// "charge multiplies the values given, -30 to 20 nC, which keep their ratios": what a parameter does with entries that
/// differ, as a note.
std::string say_differing(const optim::DifferingValues& values);

}  // namespace pithball::app
