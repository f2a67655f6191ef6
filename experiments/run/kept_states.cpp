#include "experiments/run/kept_states.hpp"

#include <algorithm>

#include "datasets/h5md.hpp"
#include "experiments/run/energy_table.hpp"
#include "experiments/run/run_folder.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {

namespace fs = std::filesystem;

KeptStates load_kept_states(const Experiment& experiment, const fs::path& target) {
  const fs::path partial = RunFolder::partial(target);
  const fs::path folder = RunFolder::is_run_folder(partial) ? partial : target;
  if (!RunFolder::is_run_folder(folder) || !fs::exists(folder / "trajectory.h5")) return {};
  const std::string where = "--resume " + folder.string();
  RunFolder::require_same(folder, experiment.filled);
  sim::Trajectory kept;
  try {
    kept = datasets::read_h5md((folder / "trajectory.h5").string()).trajectory;
  } catch (const InvalidArgument&) {
    if (folder == partial) return {};  // killed while HDF5 wrote, most likely before anything was kept
    throw;
  }
  std::vector<sim::EnergyRow> energy = read_energy_table(folder / "energy.csv");
  const std::size_t count = std::min(kept.states.size(), energy.size());
  if (folder == target && kept.complete)
    throw InvalidArgument(
        {where, "", "must hold an incomplete run", "a complete one", "run without --resume to do it again"});
  for (std::size_t k = 0; k < count; ++k)
    if (kept.step[k] != energy[k].step)
      throw InvalidArgument(
          {where, "", "must hold energies and states of the same steps", "others", "run without --resume"});
  kept.states.resize(count);
  if (!kept.rosters.empty()) kept.rosters.resize(count);
  energy.resize(count);
  return {std::move(kept.states), std::move(kept.rosters), std::move(energy)};
}

}  // namespace pithball::experiments
