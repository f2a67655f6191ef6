#pragma once
#include <optional>

#include "app/spec/experiment.hpp"
#include "sim/population/population.hpp"

namespace pithball::app {

/// Reads `population:`, the emitters and sinks of an experiment whose other sections are read; nothing if it is left
/// out.
std::optional<sim::PopulationRules> read_population(Node& root, const Experiment& experiment);

/// Rejects emitters and sinks where the same particles must be there throughout; `who` says where.
void reject_population(const Experiment& experiment, const std::string& who);

}  // namespace pithball::app
