#include "app/field/field_samples.hpp"

#include <cmath>
#include <filesystem>

#include "app/experiment/experiment_file.hpp"
#include "app/run_folder/kept_states.hpp"
#include "datasets/trajectory/h5md_reader.hpp"
#include "sim/core/error.hpp"
#include "sim/coulomb/coulomb_registry.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/population/roster.hpp"

namespace pithball::app {

namespace fs = std::filesystem;

FieldSource read_field_source(const std::string& file, const std::vector<Override>& overrides,
                              std::optional<double> time, bool external) {
  std::error_code ignored;  // set for names that are not valid file names
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

FieldSamples compute_field(const FieldSource& source, const sim::Points& x) {
  FieldSamples samples{sim::ChargeField::zero(x.cols())};
  bool of_charges = false;
  const auto add = [&](const sim::ForceTerm& force) {
    const auto* ability = force.as<sim::ActsOnTestCharge>();
    if (!ability || (ability->field_origin() == sim::FieldOrigin::External && !source.external)) return;
    ability->add_field(source.model, source.charges, x, samples);
    samples.forces.push_back(force.traits().name);
    if (samples.method.empty()) samples.method = ability->field_method();
    of_charges = of_charges || ability->field_origin() == sim::FieldOrigin::Charges;
  };
  for (const auto& force : source.model.terms()) add(*force);
  if (!of_charges && (source.charges.charge.array() != 0).any()) {
    add(sim::CoulombForce(sim::make_coulomb_sum({})));
    samples.assumed_coulomb = true;
  }
  for (sim::Index k = 0; k < x.cols(); ++k) {
    if (samples.field.col(k).allFinite() && std::isfinite(samples.potential[k])) continue;
    ++samples.singular;
    samples.clear(k);
  }
  return samples;
}

}  // namespace pithball::app
