#pragma once
#include <optional>

#include "app/run_folder/energy_table.hpp"
#include "app/run_folder/run_folder.hpp"
#include "app/spec/experiment.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "datasets/trajectory/h5md_reader.hpp"
#include "sim/run/energy_balance.hpp"
#include "sim/run/trajectory.hpp"

namespace pithball::app {

/// A state of a run that was kept.
struct KeptState {
  sim::State state;
  sim::EnergyRow energy;
  std::optional<sim::Roster> roster = {};  ///< where particles come and go
};

/// The trajectory of a run that goes on or was killed; none if it has kept nothing, or could not even begin its file.
std::optional<datasets::H5mdReader> open_begun_states(const std::filesystem::path& file);

/// What a run keeps while it goes on: trajectory.h5 and energy.csv, written as the states come. In a folder that is
/// resumed they are continued after the last instant that both hold; what is in them already is neither read nor
/// written again, but for the rows of energies.
class KeptStates {
 public:
  /// Throws InvalidArgument where what is there cannot be continued.
  KeptStates(RunFolder& folder, const Experiment& experiment);

  /// Where a resumed run goes on. None: the run begins.
  const std::optional<KeptState>& last() const { return last_; }
  /// Adds a state; the one that a resumed run goes on from is there already.
  void keep(const sim::State& state, const sim::EnergyRow& row, const sim::Roster* roster);
  /// Closes both files; throws std::runtime_error if something could not be written.
  void finish(bool complete);

  const sim::EnergyBalancer& energies() const { return energies_; }
  /// Values of the body that change with time.
  const std::vector<std::string>& changing() const { return changing_; }

 private:
  bool go_on(const std::filesystem::path& states, const std::filesystem::path& energies);

  const sim::Model& model_;
  std::optional<KeptState> last_;
  std::vector<std::string> changing_;
  sim::EnergyBalancer energies_;
  std::optional<EnergyTable> table_;
  std::optional<datasets::H5mdWriter> states_;
};

}  // namespace pithball::app
