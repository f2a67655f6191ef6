#include "app/run_folder/kept_states.hpp"

#include <algorithm>

#include "app/run_folder/trajectory_body.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* states_name = "trajectory.h5";
constexpr const char* energies_name = "energy.csv";

/// Whether the future of a run is in its last state: that of a multi-step integrator is in the steps before, too, and
/// that of links that can break in which of them have.
bool can_go_on(const Experiment& experiment) {
  const diff::Scenario& scenario = experiment.scenario;
  return scenario.integrator.info().startup_steps == 0 &&
         std::ranges::none_of(scenario.model.constraints(),
                              [](const auto& c) { return c->template as<sim::BreakableRows>() != nullptr; });
}

}  // namespace

std::optional<datasets::H5mdReader> open_begun_states(const fs::path& file) {
  if (!fs::exists(file)) return {};
  try {
    datasets::H5mdReader reader(file.string());
    if (reader.size() > 0) return reader;
  } catch (const datasets::UnreadHdf5&) {  // what is kept is not known, and not to be written over
    throw;
  } catch (const InvalidArgument&) {  // no such file yet as it begins with
    return {};
  }
  return {};
}

KeptStates::KeptStates(RunFolder& folder, const Experiment& experiment)
    : model_(experiment.scenario.model), changing_(trajectory_body(experiment).changing) {
  if (folder.resumed() && !can_go_on(experiment)) folder.begin_again();
  const fs::path states = folder.file(states_name), energies = folder.file(energies_name);
  if (folder.resumed() && go_on(states, energies)) return;
  states_.emplace(states.string(), trajectory_body(experiment));
  table_.emplace(energies);
}

/// Opens the files that the first part of the run left, to go on after the last instant that both hold; false if there
/// is none.
bool KeptStates::go_on(const fs::path& states, const fs::path& energies) {
  std::optional<datasets::H5mdReader> left = open_begun_states(states);
  if (!left) return false;
  std::size_t rows = 0;
  visit_energy_rows(energies, [&](const sim::EnergyRow&, std::uintmax_t) { return ++rows < left->size(); });
  if (rows == 0) return false;
  const std::size_t last = rows - 1;
  std::size_t row_number = 0;
  std::uintmax_t kept_bytes = 0;
  sim::EnergyRow last_row;
  visit_energy_rows(energies, [&](const sim::EnergyRow& row, std::uintmax_t end) {
    energies_.add(row);
    kept_bytes = end;
    last_row = row;
    return ++row_number < rows;
  });
  const datasets::H5mdFrame frame = left->frame(last);
  if (last_row.step != frame.step)
    throw InvalidArgument({"--resume " + states.parent_path().string(), "",
                           "must contain energies and states of the same steps", "others", "give --overwrite"});
  last_ = KeptState{frame.state, last_row, frame.roster};
  earlier_ = {energies_.start(), last_row};
  left.reset();  // HDF5 opens no file for writing that is open for reading
  table_.emplace(energies, kept_bytes);
  states_.emplace(datasets::H5mdWriter::resume(states.string(), rows));
  return true;
}

void KeptStates::keep(const sim::State& state, const sim::EnergyRow& row, const sim::Roster* roster) {
  if (last_ && row.step == last_->energy.step) return;  // is there already
  table_->add(row);                                     // first: a killed run has a row for every state that it kept
  energies_.add(row);
  if (changing_.empty()) {
    states_->append(row.step, state, roster);
  } else {
    const datasets::H5mdBody now = trajectory_body(model_, state.t);
    states_->append(row.step, state, roster, &now);
  }
}

void KeptStates::finish(bool complete) {
  states_->finish(complete);
  table_->close();
}

}  // namespace pithball::app
