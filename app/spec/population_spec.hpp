#pragma once
#include <optional>

#include "app/spec/body.hpp"
#include "app/yaml/node.hpp"
#include "diff/rollout/rollout.hpp"
#include "sim/population/population.hpp"

namespace pithball::app {

/// Reads `population:`, the emitters and sinks of an experiment, after its other sections; empty if the key is absent.
std::optional<sim::PopulationRules> read_population(Node& root, const Body& body, const diff::Scenario& scenario);

}  // namespace pithball::app
