#include "app/run_folder/finished_fit.hpp"

#include <cmath>

#include "app/experiment/experiment_file.hpp"
#include "app/experiment/recording/recording.hpp"
#include "app/result/json_fields.hpp"
#include "app/run_folder/json_reading.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

const FitRecord& finished_fit(const Run& run) {
  const auto* results = std::get_if<FitResults>(&run.results);
  if (!results)
    throw InvalidArgument({run.folder.string(), "", "must be the run folder of a finished fit",
                           run.summary.command.empty() ? "another one" : "one of `" + run.summary.command + "`",
                           "run `pithball fit` first"});
  if (results->fit.estimates.parameters.empty() || std::isnan(results->fit.goodness.quality.chi_square)) {
    const bool was_stopped = results->fit.verdict.status == optim::RunStatus::Interrupted;
    throw InvalidArgument({run.folder.string(), "fit.json", "must hold a fitted value and its misfit",
                           was_stopped ? "those of a fit that was stopped before it had one" : "none",
                           was_stopped ? "continue it: pithball fit " + (run.folder / "run.yaml").string() + " --out " +
                                             run.folder.string() + " --resume"
                                       : "fit at least one value with this version"});
  }
  return results->fit;
}

std::optional<DiagnosisRecord> find_diagnosis(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "diagnosis.json";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return {};
  return read_json_file(file, read_result<DiagnosisRecord>);
}

namespace {

const Tree* find_recordings(const ExperimentDocument& document) {
  const Tree* fit = document.root.find("fit");
  return fit ? fit->find("recordings") : nullptr;
}

/// Returns a run with only its experiment, changed by the recording's `set`.
Run reduced(const Run& of, const ExperimentDocument& whole, const Tree* set) {
  ExperimentDocument document = own_document(whole, set);
  Experiment experiment = read_experiment(document, 0.0);
  return {.folder = of.folder,
          .yaml = of.yaml,
          .document = std::move(document),
          .experiment = std::move(experiment),
          .summary = of.summary,
          .results = {}};
}

}  // namespace

Run own_run(const Run& run, std::size_t recording) {
  const Tree* recordings = find_recordings(run.document);
  const bool is_listed = recordings && recording < recordings->entries.size();
  return reduced(run, run.document, is_listed ? recordings->entries[recording].find("set") : nullptr);
}

Run designed_run(const Run& run, const std::string& recording) {
  const ExperimentDocument planned = load_document((run.folder / "planned.yaml").string());
  const Tree* set = nullptr;
  if (const Tree* recordings = find_recordings(planned))
    for (const Tree& one : recordings->entries)
      if (const Tree* name = one.find("name"); name && name->text == recording) set = one.find("set");
  return reduced(run, planned, set);
}

std::vector<FittedValues> own_fitted_values(const FittedRecording& recording, const sim::Model& model) {
  std::vector<FittedValues> fitted;
  for (const FittedValues& stored : recording.fitted_values) fitted.push_back(spread_over(model, stored));
  return fitted;
}

}  // namespace pithball::app
