#include "app/run_folder/run.hpp"

#include <fmt/format.h>

#include "app/run_folder/energy_table.hpp"
#include "app/run_folder/folder_record.hpp"
#include "app/run_folder/kept_states.hpp"
#include "app/run_folder/marker_table.hpp"
#include "app/run_folder/run_folder.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

void require_run_folder(const fs::path& folder) {
  const char* remedy =
      "name a folder that `pithball simulate`, `fit`, `compare`, `scan` or `check-gradient --out` wrote";
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw InvalidArgument({folder.string(), "", "must be a run folder",
                           fs::exists(folder, ignored) ? "a file" : "no such folder", remedy});
  if (!RunFolder::is_run_folder(folder))
    throw InvalidArgument({folder.string(), "", "must hold a run.yaml that the program wrote", "none", remedy});
}

/// Whether the folder is a run's that goes on or was killed.
bool is_begun(const fs::path& folder) {
  const auto record = FolderRecord::read(folder);
  return record && !record->complete;
}

/// In place of the summary that there is not yet.
ordered_json begun_summary(const Run& run) {
  const auto record = FolderRecord::read(run.folder);
  return {{"name", run.experiment.name},
          {"command", record ? record->inputs.command : ""},
          {"status", "incomplete"},
          {"explanation",
           "the run goes on, or was killed before it had a result to show; let it end, or complete it "
           "with --resume"},
          {"seconds", nullptr},
          {"threads", nullptr}};
}

ordered_json read_json(const fs::path& file) {
  return reading_json(file, [&] { return ordered_json::parse(datasets::read_text_file(file.string(), "run")); });
}

/// Energies and states of a simulation, which belong to the same steps.
void read_simulation(Run& run) {
  const fs::path file = run.folder / "energy.csv";
  run.energy = read_energy_table(file);
  const fs::path states = run.folder / "trajectory.h5";
  if (is_begun(run.folder)) {
    auto begun = open_begun_states(states);
    run.has_results = begun.has_value();
    if (!begun) {
      run.summary = begun_summary(run);
      return;
    }
    run.motions.push_back(*std::move(begun));
  } else {
    run.motions.emplace_back(states.string());
  }
  const datasets::H5mdReader& kept = run.motions.back();
  if (run.summary.value("status", "") == "incomplete" && run.energy.size() > kept.size())
    run.energy.resize(kept.size());  // of a killed run, whose last states were not on the disk yet
  bool same = run.energy.size() == kept.size();
  for (std::size_t k = 0; same && k < run.energy.size(); ++k) same = run.energy[k].step == kept.steps()[k];
  if (!same || run.energy.empty())
    throw InvalidArgument({file.string(), "", "must hold a row for each state of trajectory.h5",
                           fmt::format("{} rows for {} states", run.energy.size(), kept.size()),
                           "the file is missing or damaged; run it again"});
}

void read_fit_files(Run& run) {
  const fs::path file = run.folder / "fit.json";
  run.fit = read_json(file);
  reading_json(file, [&] {
    for (const ordered_json& recording : run.fit->at("recordings")) {
      const auto place = [&](const char* what) { return run.folder / recording.at(what).get<std::string>(); };
      run.motions.emplace_back(place("trajectory").string());
      run.tracks.push_back(recording.at("markers").is_null() ? optim::MarkerTracks()
                                                             : read_marker_table(place("markers")));
      run.tracks.back().recording = recording.at("name");
    }
  });
}

}  // namespace

Run read_run(const fs::path& folder) {
  require_run_folder(folder);
  const fs::path experiment_file = folder / "run.yaml", summary_file = folder / "summary.json";
  ExperimentDocument document = load_document(experiment_file.string());
  Experiment experiment = read_experiment(document, 0.0);  // a fit's own duration is that of its recordings
  Run run{.folder = folder,
          .yaml = datasets::read_text_file(experiment_file.string(), "run"),
          .document = std::move(document),
          .experiment = std::move(experiment),
          .summary = {},
          .fit = {},
          .gradient = {},
          .compare = {},
          .energy = {},
          .motions = {},
          .tracks = {},
          .scan = {}};
  std::error_code ignored;
  if (!fs::exists(summary_file, ignored) && is_begun(folder)) {
    run.has_results = false;
    run.summary = begun_summary(run);
    return run;
  }
  run.summary = read_json(summary_file);
  reading_json(summary_file, [&] {
    const std::string command = run.command();
    if (command == "simulate") return read_simulation(run);
    if (command == "fit") return read_fit_files(run);
    if (command == "compare") return void(run.compare = read_json(folder / "compare.json"));
    if (command == "scan") return void(run.scan = read_json(folder / "scan.json"));
    if (command == "check-gradient") return void(run.gradient = read_json(folder / "gradient.json"));
    throw InvalidArgument({summary_file.string(), "command", "must be simulate, fit, compare, scan or check-gradient",
                           "'" + command + "'", "run it again"});
  });
  for (const datasets::H5mdReader& motion : run.motions)
    if (!run.fit && motion.size() == 0)
      throw InvalidArgument({folder.string(), "trajectory", "must hold a state", "none", "run it again"});
  return run;
}

}  // namespace pithball::app
