#include "app/field/field_source.hpp"

#include <filesystem>

#include "app/run_folder/nearest_state.hpp"
#include "app/spec/experiment_file.hpp"
#include "datasets/trajectory/h5md_reader.hpp"
#include "sim/core/error.hpp"
#include "sim/population/roster.hpp"

namespace pithball::app {

namespace fs = std::filesystem;

FieldSource read_field_source(const std::string& file, const std::vector<Override>& overrides,
                              std::optional<double> time, bool external) {
  std::error_code ignored;  // of a name that no file can have
  const bool is_run = fs::is_directory(file, ignored);
  if (is_run && !overrides.empty()) throw InvalidArgument({"--set", "", "needs an experiment file", file, "omit it"});
  if (!is_run && time)
    throw InvalidArgument({"--time", "", "needs a run folder", file, "simulate the experiment, then give its folder"});
  const ExperimentDocument document = load_document(is_run ? (fs::path(file) / "run.yaml").string() : file, overrides);
  const Experiment experiment = read_experiment(document);
  FieldSource source{.name = experiment.name, .model = experiment.scenario.model, .charges = {}, .external = external};
  sim::Model& model = source.model;
  sim::SourceCharges& charges = source.charges;
  if (is_run) {
    const datasets::H5mdReader stored((fs::path(file) / "trajectory.h5").string());
    if (stored.size() == 0)
      throw InvalidArgument(
          {stored.file(), "", "must contain a snapshot", "none", "wait until the run has written one"});
    const datasets::H5mdFrame kept = stored.frame(time ? nearest_state(stored.times(), *time) : stored.size() - 1);
    charges = {kept.state.t, kept.state.x, stored.body().charge};
    if (kept.roster) {
      charges.charge = sim::Vector(charges.charge(kept.roster->like));
      model = model.with_particles(sim::origins_of(*kept.roster, model.particles()));
    }
    if (charges.charge.size() != charges.x.cols() || !model.has_constant_values())
      charges.charge = model.at(charges.t).charge();
  } else {
    charges = {0, experiment.scenario.initial.x, model.at(0).charge()};
    model.place_held(0, charges.x);
  }
  return source;
}

}  // namespace pithball::app
