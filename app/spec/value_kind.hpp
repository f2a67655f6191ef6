#pragma once
#include <string>
#include <vector>

#include "app/spec/experiment.hpp"

namespace pithball::app {

/// What a value that an experiment file names belongs to and is measured in.
struct ValueKind {
  std::string unit;
  bool of_springs = false, of_term = false;
  Index size = 0;
  sim::ValueSign sign = sim::ValueSign::Any;
};

/// The value of that name: one of the model, or position or velocity of the initial state. Complains at the item, with
/// the nearest name, if the experiment has none.
ValueKind find_value_kind(const Node& item, const std::string& name, const Experiment& base);

/// `select`: numbers and group names of the particles or springs that own the value, or numbers of a force's entries;
/// empty: all.
std::vector<Index> read_selection(Node& settings, const ValueKind& kind, const Experiment& base);

/// Takes apart an item `NAME: settings`, or a bare NAME with settings left out.
std::pair<std::string, Node> read_value_item(Node& item);

}  // namespace pithball::app
