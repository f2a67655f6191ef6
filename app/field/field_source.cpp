#include "app/field/field_source.hpp"

#include <filesystem>

#include "app/run_folder/nearest_state.hpp"
#include "app/spec/experiment_file.hpp"
#include "datasets/trajectory/h5md_reader.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

namespace fs = std::filesystem;

bool acts_on_a_test_charge(const Tree& force) {
  const std::string& name = force.kind == Tree::Kind::Map && !force.entries.empty() ? force.entries[0].key : force.text;
  return name == "electric_field" || name == "point_charge" || name == "point_charge_position";
}

}  // namespace

Experiment read_test_charge(ExperimentDocument document) {
  if (Tree* forces = document.root.find("forces"))
    std::erase_if(forces->entries, [](const Tree& force) { return !acts_on_a_test_charge(force); });
  if (Tree* frames = document.root.find("key_frames"))
    std::erase_if(frames->entries, [](const Tree& item) { return !acts_on_a_test_charge(item); });
  std::erase_if(document.root.entries, [](const Tree& section) { return section.key == "population"; });
  // Without charge while it is read: wherever it starts, a field may be unknown there, or a point charge sit there.
  Tree body = parse_yaml("{vertices: [[0, 0, 0]], mass: 1, charge: 0}", "test charge");
  Tree* system = document.root.find("system");
  body.key = system->key;
  *system = std::move(body);
  Experiment experiment = read_experiment(document, 0.0);  // its time steps do not matter
  sim::Model& model = experiment.scenario.model;
  Vector values = model.values().data();
  model.values().of(values, sim::Model::charge_block).setOnes();
  model = model.with_values(values);
  return experiment;
}

FieldSource read_field_source(const std::string& file, const std::vector<Override>& overrides,
                              std::optional<double> time, bool external) {
  std::error_code ignored;  // of a name that no file can have
  const bool is_run = fs::is_directory(file, ignored);
  if (is_run && !overrides.empty()) throw InvalidArgument({"--set", "", "needs an experiment file", file, "omit it"});
  if (!is_run && time)
    throw InvalidArgument({"--time", "", "needs a run folder", file, "simulate the experiment, then give its folder"});
  const ExperimentDocument document = load_document(is_run ? (fs::path(file) / "run.yaml").string() : file, overrides);
  Experiment experiment = read_experiment(document);
  FieldSource source{.name = experiment.name,
                     .experiment = std::move(experiment),
                     .position = {},
                     .charge = {},
                     .test_charge = {},
                     .renamed = document.renamed};
  if (is_run) {
    const datasets::H5mdReader stored((fs::path(file) / "trajectory.h5").string());
    if (stored.size() == 0)
      throw InvalidArgument(
          {stored.file(), "", "must contain a snapshot", "none", "wait until the run has written one"});
    const datasets::H5mdFrame kept = stored.frame(time ? nearest_state(stored.times(), *time) : stored.size() - 1);
    source.time = kept.state.t;
    source.position = kept.state.x;
    source.charge = stored.body().charge;
    if (kept.roster) source.charge = Vector(source.charge(kept.roster->like));
    const sim::Model& model = source.experiment.scenario.model;
    if (source.charge.size() != source.position.cols() || !model.has_constant_values())
      source.charge = model.at(source.time).charge();
  } else {
    const sim::Model& model = source.experiment.scenario.model;
    source.position = source.experiment.scenario.initial.x;
    source.charge = model.at(source.time).charge();
    model.place_held(source.time, source.position);
  }
  if (external) source.test_charge = read_test_charge(document);
  return source;
}

}  // namespace pithball::app
