#pragma once
#include <optional>

#include "app/run_folder/energy_table.hpp"
#include "app/run_folder/run_folder.hpp"
#include "app/spec/experiment.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "datasets/trajectory/h5md_reader.hpp"
#include "sim/run/energy_balance.hpp"
#include "sim/run/simulator.hpp"
#include "sim/run/trajectory.hpp"

namespace pithball::app {

/// A stored state of a run.
struct KeptState {
  sim::State state;                        ///< time [s], positions [m] and velocities [m/s]
  sim::EnergyRow energy;                   ///< its row of energy.csv
  std::optional<sim::Roster> roster = {};  ///< if the number of particles changes
};

/// The trajectory of an unfinished run; none if it has not stored a state or not even created its file.
std::optional<datasets::H5mdReader> open_begun_states(const std::filesystem::path& file);

/// The output of a run in progress: trajectory.h5 and energy.csv, written state by state. In a resumed folder both
/// continue after the last instant that both contain; existing data are neither read nor rewritten, except for the
/// energy rows.
class KeptStates {
 public:
  /// Throws InvalidArgument if the existing files cannot be continued.
  KeptStates(RunFolder& folder, const Experiment& experiment);

  /// The state from which a resumed run continues; none for a new run.
  const std::optional<KeptState>& last() const { return last_; }
  /// The rows from which it continues; null for a new run.
  const sim::EarlierRows* earlier_rows() const { return earlier_ ? &*earlier_ : nullptr; }
  /// Stores a state; the first state of a resumed run is already stored.
  void keep(const sim::State& state, const sim::EnergyRow& row, const sim::Roster* roster);
  /// Closes both files; throws std::runtime_error on a write error.
  void finish(bool complete);

  /// Energies and losses since the start of the run, continued in a resumed one.
  const sim::EnergyBalancer& energies() const { return energies_; }
  /// Values of the body that change with time.
  const std::vector<std::string>& changing() const { return changing_; }

 private:
  bool go_on(const std::filesystem::path& states, const std::filesystem::path& energies);

  const sim::Model& model_;
  std::optional<KeptState> last_;
  std::optional<sim::EarlierRows> earlier_;
  std::vector<std::string> changing_;
  sim::EnergyBalancer energies_;
  std::optional<EnergyTable> table_;
  std::optional<datasets::H5mdWriter> states_;
};

}  // namespace pithball::app
