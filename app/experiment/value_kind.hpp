#pragma once
#include <string>
#include <vector>

#include "app/experiment/body.hpp"
#include "app/yaml/node.hpp"
#include "diff/rollout/rollout.hpp"

namespace pithball::app {

/// Owner and unit of a value named in an experiment file.
struct ValueKind {
  std::string unit;                           ///< in base units of SI; empty: a pure number
  bool of_springs = false,                    ///< its entries belong to springs
      of_term = false;                        ///< its entries belong to forces; neither: to particles
  Index size = 0;                             ///< number of owners
  sim::ValueSign sign = sim::ValueSign::Any;  ///< allowed signs
};

/// The value with this name: one of the scenario's model, or position or velocity of the initial state. Throws
/// InvalidArgument at the item, with the nearest name, if there is none.
ValueKind find_value_kind(const Node& item, const std::string& name, const diff::Scenario& base);

/// Reads `select`: numbers and group names of the particles or springs that own the value, or entry numbers of a force;
/// empty: all.
std::vector<Index> read_selection(Node& settings, const ValueKind& kind, const Body& body);

/// Splits an item `NAME: settings`, or a bare NAME without settings. Rejects settings next to the name instead of below
/// it, and a number in place of settings; the remedy writes it as `usual_setting`.
std::pair<std::string, Node> read_value_item(Node& item, const char* usual_setting);

/// Reads the list `key_frames:` below the root, values that change with time (`sim::KeyFrames`); returns the scenario's
/// model with them.
sim::Model read_key_frames(Node& root, const Body& body, diff::Scenario scenario);

}  // namespace pithball::app
