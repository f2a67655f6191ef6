#include "app/run_folder/own_run.hpp"

#include "app/spec/recording.hpp"

namespace pithball::app {
namespace {

/// `set:` of a recording in run.yaml; null: it has none.
const Tree* find_set(const Run& run, std::size_t recording) {
  const Tree* tree = run.document.root.find("fit");
  if (tree) tree = tree->find("recordings");
  return tree && recording < tree->entries.size() ? tree->entries[recording].find("set") : nullptr;
}

}  // namespace

Run own_run(const Run& run, std::size_t recording) {
  ExperimentDocument document = own_document(run.document, find_set(run, recording));
  Experiment experiment = read_experiment(document, 0.0);
  return {.folder = run.folder,
          .yaml = run.yaml,
          .document = std::move(document),
          .experiment = std::move(experiment),
          .summary = run.summary,
          .results = {}};
}

std::vector<FittedValues> own_fitted_values(const FittedRecording& recording, const sim::Model& model) {
  std::vector<FittedValues> fitted;
  for (const FittedValues& stored : recording.fitted_values) fitted.push_back(spread_over(model, stored));
  return fitted;
}

}  // namespace pithball::app
