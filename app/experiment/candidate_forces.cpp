#include "app/experiment/candidate_forces.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "sim/core/error.hpp"
#include "sim/force/force_registry.hpp"

namespace pithball::app {
namespace {

constexpr const char* of_diagnosis = "diagnose";  // takes the place of a file name in messages

std::set<std::string> find_value_names(const FitSpec& spec) {
  std::set<std::string> names;
  for (const diff::Scenario& scenario : spec.problem().scenarios)
    for (const sim::ValueBlock& block : scenario.model.values().blocks()) names.insert(block.name);
  return names;
}

/// Forces at the start of each recording, in total and from charges alone [N].
struct StartForces {
  std::vector<Points> all, of_charges;
};

/// Starts the integrator of each recording, which may reject a force, and returns the forces.
StartForces start_all(const FitSpec& spec) {
  StartForces found;
  for (const diff::Scenario& scenario : spec.problem().scenarios) {
    sim::State state = scenario.initial;
    if (scenario.rest_near) state.x = *scenario.rest_near;
    scenario.integrator.make(scenario.stage)->start(scenario.model, state);
    const auto is_of_charges = [](const sim::ForceTerm& term) {
      return term.traits().energy == sim::EnergyKind::Coulomb;
    };
    found.all.push_back(Points::Zero(3, scenario.model.particles()));
    found.of_charges.push_back(found.all.back());
    scenario.model.add_forces(state, found.all.back(), sim::every_term);
    scenario.model.add_forces(state, found.of_charges.back(), is_of_charges);
  }
  return found;
}

/// Rejects an addition that changes the forces. Sums over charges may differ by their tolerances, which are far below
/// the effect of a softening or of a different force law.
void require_no_effect(const StartForces& before, const StartForces& after, const std::string& name) {
  constexpr double agreement = 1e-3;
  for (std::size_t s = 0; s < before.all.size(); ++s)
    if ((after.all[s] - before.all[s]).norm() > agreement * before.of_charges[s].norm())
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

/// The document and its fit, to which forces are added.
class Extension {
 public:
  Extension(const ExperimentDocument& document, const FitSpec& spec)
      : document_(document), found_{spec, {}, {}}, names_(find_value_names(spec)), forces_(start_all(spec)) {}

  /// Adds several additions that declare the same values; does nothing if the experiment already has these values.
  void add(const std::string& name, std::vector<IdleAddition> additions) {
    try {
      ExperimentDocument more = document_;
      for (const IdleAddition& addition : additions) more = with_addition(std::move(more), addition);
      FitSpec spec = read_fit(more);
      std::set<std::string> names = find_value_names(spec);
      std::vector<std::string> fresh;
      std::ranges::set_difference(names, names_, std::back_inserter(fresh));
      if (fresh.empty()) return;
      require_no_effect(forces_, start_all(spec), name);
      for (IdleAddition& addition : additions) {
        addition.values = fresh;
        found_.added.push_back(std::move(addition));
      }
      names_ = std::move(names);
      found_.spec = std::move(spec);
      document_ = std::move(more);
    } catch (const InvalidArgument& error) {
      found_.rejected.push_back({name, error.what()});
    }
  }

  bool has_force(const std::string& name) const {
    const Tree* forces = document_.root.find("forces");
    return forces && std::ranges::any_of(forces->entries, [&](const Tree& item) { return is_force(item, name); });
  }

  bool has_springs() const { return names_.contains("rest_length"); }

  ExtendedFit take() { return std::move(found_); }

 private:
  ExperimentDocument document_;
  ExtendedFit found_;
  std::set<std::string> names_;
  StartForces forces_;
};

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

ExtendedFit add_candidate_forces(const ExperimentDocument& document, const FitSpec& spec, const sim::Vec3& low,
                                 const sim::Vec3& high) {
  Extension extension(document, spec);
  for (const sim::ForceInfo& force : sim::forces()) {
    if (!force.replaces.empty() && !extension.has_force(force.replaces)) continue;
    for (const sim::IdleSettings& idle : force.idle) {
      std::vector<IdleAddition> additions;
      for (const std::string& settings : idle(low, high))
        additions.push_back({.settings = force.name + ": " + settings, .replaces = force.replaces});
      extension.add(force.name, std::move(additions));
    }
  }
  const std::string leak = "charge_leak", cubic = "cubic_stiffness";
  extension.add(leak, {{.settings = leak + ": {rate: 0}", .of_system = true}});
  if (extension.has_springs()) extension.add(cubic, {{.settings = "springs: {" + cubic + ": 0}", .of_system = true}});
  return extension.take();
}

}  // namespace pithball::app
