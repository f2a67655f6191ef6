#include "app/run_folder/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "app/experiment/experiment_file.hpp"
#include "app/result/json_fields.hpp"
#include "app/run_folder/folder_record.hpp"
#include "app/run_folder/json_reading.hpp"
#include "app/run_folder/kept_states.hpp"
#include "app/run_folder/marker_table.hpp"
#include "app/run_folder/run_folder.hpp"
#include "datasets/text/text_scan.hpp"
#include "optim/measurement/kinds/point.hpp"
#include "optim/measurement/measurement_kinds.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// Reads the part of summary.json with a command's results.
template <class Outcome>
Outcome read_outcome(const ordered_json& summary) {
  return read_second<Summary, Outcome>(summary);
}

void require_run_folder(const fs::path& folder) {
  const char* remedy =
      "give a folder written by `pithball simulate`, `fit`, `compare`, `scan` or, with --out, `identify`, `plan` or "
      "`check-gradient`";
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw InvalidArgument({folder.string(), "", "must be a run folder",
                           fs::exists(folder, ignored) ? "a file" : "no such folder", remedy});
  if (!RunFolder::is_run_folder(folder))
    throw InvalidArgument({folder.string(), "", "must contain a run.yaml written by pithball", "none", remedy});
}

/// Whether the folder belongs to a run that is in progress or was killed.
bool is_begun(const fs::path& folder) {
  const auto record = read_record(folder);
  return record && !record->complete;
}

/// Replaces a summary that is missing or cannot be trusted.
void set_begun(Run& run) {
  const auto record = read_record(run.folder);
  run.summary = {};
  run.summary.name = run.experiment.name;
  run.summary.command = record ? record->inputs.command : "";
  run.summary.status = to_string(optim::RunStatus::Incomplete);
  run.results = NoResults{
      "the run is still in progress or was killed before it had results; wait for it to end, or complete it with "
      "--resume"};
}

/// Reads energies and states of a simulation, which must belong to the same steps.
void read_simulation(const ordered_json& summary, Run& run) {
  const fs::path file = run.folder / "energy.csv", states = run.folder / "trajectory.h5";
  const bool begun = is_begun(run.folder);
  std::optional<datasets::H5mdReader> kept = begun ? open_begun_states(states) : datasets::H5mdReader(states.string());
  if (!kept) return set_begun(run);
  std::vector<sim::EnergyRow> energy = read_energy_table(file);
  if (run.summary.ended() == optim::RunStatus::Incomplete && energy.size() > kept->size())
    energy.resize(kept->size());  // a killed run may have rows whose states were never written
  bool same = energy.size() == kept->size();
  for (std::size_t k = 0; same && k < energy.size(); ++k) same = energy[k].step == kept->steps()[k];
  if (!same || energy.empty())
    throw InvalidArgument({file.string(), "", "must have one row for each state of trajectory.h5",
                           fmt::format("{} rows for {} states", energy.size(), kept->size()),
                           "the file is missing or damaged; run it again"});
  run.results = SimulationResults{read_outcome<SimulationOutcome>(summary), std::move(energy), *std::move(kept)};
}

/// Returns the measurement kind of a fitted recording.
const optim::MeasurementKind& kind_of(const FitRecord& fit, const std::string& recording) {
  for (const optim::RecordingErrors& errors : fit.goodness.errors.recordings)
    if (errors.recording == recording && errors.all.kind) return *errors.all.kind;
  return optim::point_kind();
}

void read_fit_files(const ordered_json& summary, Run& run) {
  FitResults results{
      read_outcome<FitOutcome>(summary), read_json_file(run.folder / "fit.json", read_result<FitRecord>), {}, {}};
  for (const FittedRecording& recording : results.fit.recordings) {
    results.motions.emplace_back((run.folder / recording.trajectory).string());
    results.tracks.push_back(recording.markers.empty() ? optim::MarkerTracks()
                                                       : read_marker_table(run.folder / recording.markers,
                                                                           kind_of(results.fit, recording.name)));
    results.tracks.back().recording = recording.name;
  }
  run.results = std::move(results);
}

void read_plan_files(const ordered_json& summary, Run& run) {
  PlanResults results{read_outcome<PredictionOutcome>(summary),
                      read_json_file(run.folder / "plan.json", read_result<PlanRecord>),
                      {},
                      {}};
  if (results.plan.optimized)
    for (const OptimizedRecording& recording : results.plan.optimized->recordings) {
      const optim::MeasurementKind* kind = optim::find_measurement_kind(recording.measurement);
      results.motions.emplace_back((run.folder / recording.trajectory).string());
      results.tracks.push_back(read_marker_table(run.folder / recording.table, kind ? *kind : optim::point_kind()));
      results.tracks.back().recording = recording.name;
    }
  run.results = std::move(results);
}

/// Reads the results of the run's command, named in its summary.
void read_results(const ordered_json& summary, Run& run) {
  const std::string& command = run.summary.command;
  if (command == "simulate")
    read_simulation(summary, run);
  else if (command == "fit")
    read_fit_files(summary, run);
  else if (command == "compare")
    run.results = CompareResults{read_outcome<ComparisonOutcome>(summary),
                                 read_json_file(run.folder / "compare.json", read_result<CompareRecord>)};
  else if (command == "scan")
    run.results = ScanResults{read_outcome<ScanOutcome>(summary),
                              read_json_file(run.folder / "scan.json", read_result<ScanRecord>)};
  else if (command == "identify")
    run.results = IdentifyResults{read_outcome<PredictionOutcome>(summary),
                                  read_json_file(run.folder / "identify.json", read_result<IdentifyRecord>)};
  else if (command == "plan")
    read_plan_files(summary, run);
  else
    run.results = GradientResults{read_outcome<GradientOutcome>(summary),
                                  read_json_file(run.folder / "gradient.json", read_result<GradientRecord>)};
}

void require_known_command(const fs::path& summary_file, const std::string& command) {
  constexpr std::array<std::string_view, 7> known{"simulate", "fit",  "identify",      "plan",
                                                  "compare",  "scan", "check-gradient"};
  if (std::ranges::find(known, command) == known.end())
    throw InvalidArgument({summary_file.string(), "command",
                           "must be simulate, fit, identify, plan, compare, scan or check-gradient",
                           "'" + command + "'", "run it again"});
}

}  // namespace

Run read_run(const fs::path& folder) {
  require_run_folder(folder);
  const fs::path experiment_file = folder / "run.yaml", summary_file = folder / "summary.json";
  ExperimentDocument document = load_document(experiment_file.string());
  Experiment experiment = read_experiment(document, 0.0);  // the duration of a fit is that of its recordings
  Run run{.folder = folder,
          .yaml = datasets::read_text_file(experiment_file.string(), "run"),
          .document = std::move(document),
          .experiment = std::move(experiment),
          .summary = {},
          .results = {}};
  std::error_code ignored;
  if (!fs::exists(summary_file, ignored) && is_begun(folder)) {
    set_begun(run);
    return run;
  }
  read_json_file(summary_file, [&](const ordered_json& summary) {
    require_known_command(summary_file, summary.at("command"));
    run.summary = read_result<Summary>(summary);
    read_results(summary, run);
  });
  return run;
}

}  // namespace pithball::app
