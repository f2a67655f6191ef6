#pragma once
#include <optional>
#include <string>
#include <vector>

#include "diff/rollout/rollout.hpp"

namespace pithball::optim {

using sim::Index;

/// One entry of a scenario's flat values, seen by the name of the value.
struct ValueEntry {
  Index index = 0;     ///< in the flat layout of diff::Scenario, with the recording_frame's values behind it
  Index owner = 0;     ///< particle, spring, or entry of the term
  int component = -1;  ///< 0, 1, 2 of a vector; −1 of a scalar
  Index place = 0;     ///< number among the value's entries; the same for those at all key times of one entry
  std::optional<double> key_time = {};  ///< of an entry with key frames: the time [s] at which it has this value
};

/// All entries of one name in a scenario, in the order of the layout.
struct ValueEntries {
  std::vector<ValueEntry> entries;
  std::string unit;
  sim::ValueSign sign = sim::ValueSign::Any;
  sim::ValueOwner owner = sim::ValueOwner::Particle;
  sim::ValueScaling scaling = sim::ValueScaling::Invariant;
  Index places = 0;  ///< number of entries, each counted once however many key times it has
};

/// Finds "position" [m] and "velocity" [m/s] of the initial state, the values of the recording's recording_frame
/// ("clock_offset", …), or the blocks of that name in Model::values(); empty entries if there is none. What is
/// prescribed has no entry: velocities of held particles, positions of driven ones. An entry with key frames is found
/// as its values at the key times.
ValueEntries find_value_entries(const diff::Scenario& scenario, const std::string& name);

/// The names that a scenario knows, for messages: "mass, charge, …, position, velocity".
std::string value_names(const diff::Scenario& scenario);

}  // namespace pithball::optim
