#include "app/run_folder/kept_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

#include "app/base/version.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"
#include "sim/force/spring_force.hpp"

namespace pithball::app {
namespace {

std::string header() {
  return fmt::format(
      "# time [s]; energies [J] by kind and in total; energy removed since step 0 [J] by each loss and by the "
      "integration error\n"
      "step,time,elastic,coulomb,interaction,external,kinetic,total,{},numerical",
      fmt::join(sim::loss_names, ","));
}
constexpr std::size_t losses_at = 8, energy_columns = losses_at + sim::loss_names.size() + 1;

}  // namespace

EnergyTable::EnergyTable(const std::filesystem::path& file) : file_(file), out_(file) {
  out_ << header() << "\n" << std::flush;
}

EnergyTable::EnergyTable(const std::filesystem::path& file, std::uintmax_t kept) : file_(file) {
  std::filesystem::resize_file(file, kept);
  out_.open(file, std::ios::app);
}

void EnergyTable::add(const sim::EnergyRow& row) {
  out_ << fmt::format("{},{},{},{},{},{},{},{}", row.step, row.t, row.elastic, row.coulomb, row.interaction,
                      row.external, row.kinetic, row.total());
  for (std::size_t k = 0; k < sim::loss_names.size(); ++k) out_ << fmt::format(",{}", row.losses[k]);
  out_ << fmt::format(",{}\n", row.numerical) << std::flush;
}

void EnergyTable::close() {
  out_.close();
  if (!out_) throw std::runtime_error(fmt::format("cannot write {}: is the disk full?", file_.string()));
}

void visit_energy_rows(const std::filesystem::path& file,
                       const std::function<bool(const sim::EnergyRow& row, std::uintmax_t end)>& visit) {
  const std::string first = header() + "\n";
  if (datasets::read_beginning(file.string(), first.size()) != first) return;
  std::ifstream in(file);
  std::string line;
  in.seekg(static_cast<std::streamoff>(first.size()));
  while (std::getline(in, line) && !in.eof()) {  // a last line without a line end is incomplete
    std::istringstream cells(line);
    std::vector<double> numbers;
    for (std::string cell; std::getline(cells, cell, ',');)
      numbers.push_back(datasets::parse_number(cell).value_or(NAN));
    if (numbers.size() != energy_columns) return;
    sim::Losses losses;
    for (std::size_t k = 0; k < sim::loss_names.size(); ++k) losses[k] = numbers[losses_at + k];
    const sim::EnergyRow row{.step = static_cast<sim::Index>(numbers[0]),
                             .t = numbers[1],
                             .elastic = numbers[2],
                             .coulomb = numbers[3],
                             .interaction = numbers[4],
                             .external = numbers[5],
                             .kinetic = numbers[6],
                             .losses = losses,
                             .numerical = numbers.back()};
    if (!visit(row, static_cast<std::uintmax_t>(in.tellg()))) return;
  }
}

std::vector<sim::EnergyRow> read_energy_table(const std::filesystem::path& file) {
  std::vector<sim::EnergyRow> rows;
  visit_energy_rows(file, [&](const sim::EnergyRow& row, std::uintmax_t) {
    rows.push_back(row);
    return true;
  });
  return rows;
}

datasets::H5mdBody trajectory_body(const sim::Model& in_time, double t) {
  const sim::Model model = in_time.at(t);
  datasets::H5mdBody body;
  body.mass = model.mass();
  body.charge = model.charge();
  body.springs = model.springs();
  if (const sim::SpringForce* springs = sim::find_springs(model)) {
    body.stiffness = springs->stiffness(model);
    body.rest_length = springs->rest_length(model);
  }
  for (const sim::KeyFrames& frames : in_time.key_frames()) {
    const std::string& name = in_time.values().block(in_time.values().block_of(frames.entries.front())).name;
    const bool told = name == "charge" || (!body.springs.empty() && (name == "stiffness" || name == "rest_length"));
    if (told && std::ranges::find(body.changing, name) == body.changing.end()) body.changing.push_back(name);
  }
  if (in_time.charge_leak()) body.changing.push_back("charge");
  body.program_version = version;
  return body;
}

datasets::H5mdBody trajectory_body(const Experiment& experiment) {
  datasets::H5mdBody body = trajectory_body(experiment.scenario.model, experiment.scenario.initial.t);
  if (experiment.population) body.attributes = experiment.population->attributes;
  return body;
}

std::size_t nearest_state(const std::vector<double>& times, double time) {
  const auto nearest = std::min_element(times.begin(), times.end(),
                                        [time](double a, double b) { return std::abs(a - time) < std::abs(b - time); });
  return nearest - times.begin();
}

namespace fs = std::filesystem;

namespace {

constexpr const char* states_name = "trajectory.h5";
constexpr const char* energies_name = "energy.csv";

/// Whether the last state determines the rest of a run: a multi-step integrator also needs earlier steps, and links
/// that can break need the list of broken ones.
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
  } catch (const datasets::UnreadHdf5&) {  // its states are unknown and must not be overwritten
    throw;
  } catch (const InvalidArgument&) {  // not even the beginning of the file is complete
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

/// Opens the files of the first part of the run, to continue after the last instant for which both have data; returns
/// false if there is none.
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
  left.reset();  // HDF5 cannot open a file for writing while it is open for reading
  table_.emplace(energies, kept_bytes);
  states_.emplace(datasets::H5mdWriter::resume(states.string(), rows));
  return true;
}

void KeptStates::keep(const sim::State& state, const sim::EnergyRow& row, const sim::Roster* roster) {
  if (last_ && row.step == last_->energy.step) return;  // already kept
  table_->add(row);                                     // first, so that a killed run has a row for every kept state
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
