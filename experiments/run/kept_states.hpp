#pragma once
#include <filesystem>
#include <vector>

#include "experiments/experiment.hpp"
#include "sim/run/trajectory.hpp"

namespace pithball::experiments {

/// What an incomplete run left: states and energies of the same steps; empty if there is nothing to go on with.
struct KeptStates {
  std::vector<sim::State> states;
  std::vector<sim::Roster> rosters;  ///< where particles come and go
  std::vector<sim::EnergyRow> energy;
};

/// Reads `<target>.partial` (a killed run) or else `target` (an interrupted one). A killed run
/// whose trajectory cannot be read has left nothing. Throws InvalidArgument if that run is of another experiment, or
/// complete.
KeptStates load_kept_states(const Experiment& experiment, const std::filesystem::path& target);

}  // namespace pithball::experiments
