#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <vector>

#include "app/experiment/experiment.hpp"
#include "app/run_folder/run_folder.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "datasets/trajectory/h5md_reader.hpp"
#include "sim/model/model.hpp"
#include "sim/run/energy_balance.hpp"
#include "sim/run/simulator.hpp"
#include "sim/run/trajectory.hpp"

namespace pithball::app {

/// Writes energy.csv: step, time [s], and in [J] the elastic, Coulomb, interaction, external and kinetic energy, their
/// total, the energy removed since step 0 by each kind of loss (`sim::loss_names`) and by the integration error. Rows
/// are written as they come, with enough digits to be read back bit for bit.
class EnergyTable {
 public:
  /// Creates or replaces the file and writes its header.
  explicit EnergyTable(const std::filesystem::path& file);
  /// Continues a table after its first `kept` bytes; the rest is truncated.
  EnergyTable(const std::filesystem::path& file, std::uintmax_t kept);
  /// Appends a row; errors are noticed by `close`.
  void add(const sim::EnergyRow& row);
  /// Throws std::runtime_error on a write error.
  void close();

 private:
  std::filesystem::path file_;
  std::ofstream out_;
};

/// Visits the rows of an energy.csv in order, each with its end in the file [bytes], until the visitor returns false or
/// a line is incomplete, as after a killed run.
void visit_energy_rows(const std::filesystem::path& file,
                       const std::function<bool(const sim::EnergyRow& row, std::uintmax_t end)>& visit);

/// All rows of an energy.csv, up to the first incomplete line, as after a killed run.
std::vector<sim::EnergyRow> read_energy_table(const std::filesystem::path& file);

/// The part of a model that a trajectory file stores besides its states: masses, charges, and springs with stiffness
/// and rest length, at time t [s], and which of them have key frames.
datasets::H5mdBody trajectory_body(const sim::Model& model, double t);

/// The same for an experiment's first state, with the names of attributes if the number of particles changes.
datasets::H5mdBody trajectory_body(const Experiment& experiment);

/// Index of the snapshot whose time is nearest to `time`, among `times` [s], which is not empty.
std::size_t nearest_state(const std::vector<double>& times, double time);

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
