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
          .fit = {},
          .gradient = {},
          .compare = {},
          .energy = {},
          .motions = {},
          .tracks = {},
          .scan = {}};
}

std::vector<FittedValues> own_fitted_values(const Run& run, std::size_t recording, const sim::Model& model) {
  return reading_json(run.folder / "fit.json", [&] {
    std::vector<FittedValues> fitted;
    for (const auto& values : run.fit->at("recordings").at(recording).at("fitted_values"))
      fitted.push_back(read_fitted_values(values, model));
    return fitted;
  });
}

}  // namespace pithball::app
