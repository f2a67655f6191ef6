#pragma once
#include <optional>

#include "app/spec/experiment.hpp"
#include "sim/population/population.hpp"

namespace pithball::app {

/// Reads `population:`, the emitters and sinks of an experiment, after its other sections; empty if the key is absent.
std::optional<sim::PopulationRules> read_population(Node& root, const Experiment& experiment);

/// Rejects emitters and sinks where the particles must not change; `who`: the command or section, for the message.
void reject_population(const Experiment& experiment, const std::string& who);

}  // namespace pithball::app
