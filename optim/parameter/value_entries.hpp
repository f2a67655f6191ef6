#pragma once
#include <optional>
#include <string>
#include <vector>

#include "diff/rollout/rollout.hpp"

namespace pithball::optim {

using sim::Index;

/// One entry of a scenario's flat values, found by the name of the value.
struct ValueEntry {
  Index index = 0;     ///< in the flat layout of diff::Scenario followed by the recording_frame's values
  Index owner = 0;     ///< particle, spring, or entry of the term
  int component = -1;  ///< 0, 1, 2 of a vector; −1 for a scalar
  Index place = 0;     ///< index among the value's entries; equal for all key times of one entry
  std::optional<double> key_time = {};  ///< for an entry with key frames: the time [s] of this value
};

/// All entries with one name in a scenario, in the order of the layout.
struct ValueEntries {
  std::vector<ValueEntry> entries;                    ///< in the order of the layout; empty: there is no such value
  std::string unit;                                   ///< in base units of SI; empty: a pure number
  sim::ValueSign sign = sim::ValueSign::Any;          ///< allowed signs
  sim::ValueOwner owner = sim::ValueOwner::Particle;  ///< what the entries belong to
  /// Behavior when all forces and masses are multiplied by one factor.
  sim::ValueScaling scaling = sim::ValueScaling::Invariant;
  Index places = 0;  ///< number of entries, each counted once for all its key times
};

/// Finds "position" [m] and "velocity" [m/s] of the initial state, the values of the recording's recording_frame
/// ("clock_offset", …), or the blocks with that name in Model::values(); empty if there is none. Prescribed values have
/// no entry: velocities of held particles, positions of driven ones. An entry with key frames is returned as its values
/// at the key times.
ValueEntries find_value_entries(const diff::Scenario& scenario, const std::string& name);

/// The names available in a scenario, for messages: "mass, charge, …, position, velocity".
std::string value_names(const diff::Scenario& scenario);

}  // namespace pithball::optim
