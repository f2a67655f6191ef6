#include "app/experiment/candidate_forces.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <set>

#include "app/experiment/experiment.hpp"
#include "sim/core/error.hpp"
#include "sim/force/force_registry.hpp"
#include "sim/force/free_drift.hpp"

namespace pithball::app {
namespace {

constexpr const char* of_diagnosis = "diagnose";  // takes the place of a file name in messages

/// What the models of a document have, at the starts of their motions.
struct ModelStarts {
  std::set<std::string> names;             ///< of their values
  std::vector<Points> forces, of_charges;  ///< in total and of charges alone [N]
};

/// Starts the integrator, which may reject a force, and adds what the model has.
void add_start(const diff::Scenario& scenario, ModelStarts& starts) {
  for (const sim::ValueBlock& block : scenario.model.values().blocks()) starts.names.insert(block.name);
  sim::State state = scenario.initial;
  if (scenario.rest_near) state.x = *scenario.rest_near;
  scenario.integrator.make(scenario.stage)->start(scenario.model, state);
  const auto is_of_charges = [](const sim::ForceTerm& term) {
    return term.traits().energy == sim::EnergyKind::Coulomb;
  };
  starts.forces.push_back(Points::Zero(3, scenario.model.particles()));
  starts.of_charges.push_back(starts.forces.back());
  scenario.model.add_forces(state, starts.forces.back(), sim::every_term);
  scenario.model.add_forces(state, starts.of_charges.back(), is_of_charges);
}

/// The starts of all recordings.
ModelStarts start_all(const optim::FitProblem& problem) {
  ModelStarts starts;
  for (const diff::Scenario& scenario : problem.scenarios) add_start(scenario, starts);
  return starts;
}

/// The start of the experiment without its recordings, whose files are not read: where a force can be added to many
/// recordings, this takes a small part of the time. `drifts`: a recording has `brownian`, and rejects other forces.
ModelStarts start_body(const ExperimentDocument& document, bool drifts) {
  Reading reading(document.root, document.folder, document.inputs);
  Node root = reading.root();
  const diff::Scenario scenario = read_sections(reading, root, *document.meshes, 0.0).scenario;
  if (const std::string hindrance = drifts ? sim::find_hindrance(scenario.model) : ""; !hindrance.empty())
    throw InvalidArgument({of_diagnosis, "forces", "must let particles drift freely, for `brownian`", hindrance, ""});
  ModelStarts starts;
  add_start(scenario, starts);
  return starts;
}

/// Rejects an addition that changes the forces. Sums over charges may differ by their tolerances, which are far below
/// the effect of a softening or of a different force law.
void require_no_effect(const ModelStarts& before, const ModelStarts& after, const std::string& name) {
  constexpr double agreement = 1e-3;
  for (std::size_t s = 0; s < before.forces.size(); ++s)
    if ((after.forces[s] - before.forces[s]).norm() > agreement * before.of_charges[s].norm())
      throw InvalidArgument({of_diagnosis, name, "must leave the forces at the start as they are", "others",
                             "a force with further settings, such as a softening, cannot be continued by it"});
}

/// Returns the entry of a map with this key, which is created if necessary.
Tree& child_of(Tree& parent, const std::string& key, const std::string& empty) {
  if (Tree* found = parent.find(key)) return *found;
  put(parent, key, parse_yaml(empty, of_diagnosis));
  return parent.entries.back();
}

/// Whether an item of `forces:` is this force.
bool is_force(const Tree& item, const std::string& name) {
  return item.kind == Tree::Kind::Map ? item.find(name) != nullptr : item.text == name;
}

/// A document to which forces are added.
class Extension {
 public:
  using Look = std::function<ModelStarts(const ExperimentDocument&)>;

  /// `look`: how each addition is tried.
  Extension(const ExperimentDocument& document, Look look)
      : document_(document), look_(std::move(look)), starts_(look_(document)) {}

  /// Adds several additions that declare the same values; does nothing if the experiment already has these values.
  void add(const std::string& name, std::vector<IdleAddition> additions) {
    try {
      ExperimentDocument more = document_;
      for (const IdleAddition& addition : additions) more = with_addition(std::move(more), addition);
      ModelStarts starts = look_(more);
      std::vector<std::string> fresh;
      std::ranges::set_difference(starts.names, starts_.names, std::back_inserter(fresh));
      if (fresh.empty()) return;
      require_no_effect(starts_, starts, name);
      for (IdleAddition& addition : additions) {
        addition.values = fresh;
        added_.push_back(std::move(addition));
      }
      starts_.names = std::move(starts.names);
      document_ = std::move(more);
    } catch (const InvalidArgument& error) {
      rejected_.push_back({name, error.what()});
    }
  }

  /// Adds everything that the experiment may lack.
  void add_all(const sim::Vec3& low, const sim::Vec3& high) {
    for (const sim::ForceInfo& force : sim::forces()) {
      if (!force.replaces.empty() && !has_force(force.replaces)) continue;
      for (const sim::IdleSettings& idle : force.idle) {
        std::vector<IdleAddition> additions;
        for (const std::string& settings : idle(low, high))
          additions.push_back({.settings = force.name + ": " + settings, .replaces = force.replaces});
        if (!additions.empty()) add(force.name, std::move(additions));
      }
    }
    const std::string leak = "charge_leak", cubic = "cubic_stiffness";
    add(leak, {{.settings = leak + ": {rate: 0}", .of_system = true}});
    if (starts_.names.contains("rest_length"))
      add(cubic, {{.settings = "springs: {" + cubic + ": 0}", .of_system = true}});
  }

  const ExperimentDocument& document() const { return document_; }

  /// The fit of the extended document, and what was added to it.
  ExtendedFit with(FitSpec spec) && { return {std::move(spec), std::move(added_), std::move(rejected_)}; }

 private:
  bool has_force(const std::string& name) const {
    const Tree* forces = document_.root.find("forces");
    return forces && std::ranges::any_of(forces->entries, [&](const Tree& item) { return is_force(item, name); });
  }

  ExperimentDocument document_;
  Look look_;
  ModelStarts starts_;
  std::vector<IdleAddition> added_;
  std::vector<ExtendedFit::Rejected> rejected_;
};

/// The same with each addition tried in the recordings, whose starts differ from that of the body.
ExtendedFit extend_by_recordings(const ExperimentDocument& document, const sim::Vec3& low, const sim::Vec3& high) {
  Extension extension(document, [](const ExperimentDocument& one) { return start_all(read_fit(one).problem()); });
  extension.add_all(low, high);
  return std::move(extension).with(read_fit(extension.document()));
}

}  // namespace

ExperimentDocument with_addition(ExperimentDocument document, const IdleAddition& addition) {
  Tree item = parse_yaml(addition.settings, of_diagnosis);
  if (addition.of_system) {
    merge(item, child_of(document.root, "system", "{}"));
    return document;
  }
  Tree& forces = child_of(document.root, "forces", "[]");
  if (addition.replaces.empty()) {
    forces.entries.push_back(std::move(item));
    return document;
  }
  const auto replaced =
      std::ranges::find_if(forces.entries, [&](const Tree& force) { return is_force(force, addition.replaces); });
  if (replaced == forces.entries.end())
    throw InvalidArgument({of_diagnosis, "forces", "must contain " + addition.replaces, "none", ""});
  *replaced = std::move(item);
  return document;
}

ExtendedFit add_candidate_forces(const ExperimentDocument& document, const optim::FitProblem& problem,
                                 const sim::Vec3& low, const sim::Vec3& high) {
  try {
    const bool drifts = std::ranges::any_of(
        problem.observations, [](const optim::Observation& seen) { return seen.noise.thermal_energy > 0; });
    Extension extension(document, [drifts](const ExperimentDocument& one) { return start_body(one, drifts); });
    extension.add_all(low, high);
    FitSpec spec = read_fit(extension.document());
    require_no_effect(start_all(problem), start_all(spec.problem()), "forces");
    return std::move(extension).with(std::move(spec));
  } catch (const InvalidArgument&) {
    return extend_by_recordings(document, low, high);
  }
}

std::vector<sim::Model> find_wider_models(const ExperimentDocument& document, const optim::FitProblem& problem) {
  const sim::Vec3 beyond = sim::Vec3::Constant(std::numeric_limits<double>::infinity());
  const ExtendedFit wider = add_candidate_forces(document, problem, beyond, -beyond);  // an empty box has no places
  std::vector<sim::Model> models;
  for (const diff::Scenario& scenario : wider.spec.problem().scenarios) models.push_back(scenario.model);
  return models;
}

}  // namespace pithball::app
