#include "app/spec/candidate_forces.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "sim/core/error.hpp"
#include "sim/force/force_registry.hpp"

namespace pithball::app {
namespace {

constexpr const char* of_diagnosis = "diagnose";  // in messages, in place of a file

std::set<std::string> find_value_names(const FitSpec& spec) {
  std::set<std::string> names;
  for (const diff::Scenario& scenario : spec.problem().scenarios)
    for (const sim::ValueBlock& block : scenario.model.values().blocks()) names.insert(block.name);
  return names;
}

/// Reads the fit, and starts the integrator of each recording, which may reject a force.
FitSpec read_and_start(const ExperimentDocument& document) {
  FitSpec spec = read_fit(document);
  for (const diff::Scenario& scenario : spec.problem().scenarios) {
    sim::State state = scenario.initial;
    if (scenario.rest_near) state.x = *scenario.rest_near;
    scenario.integrator.make(scenario.stage)->start(scenario.model, state);
  }
  return spec;
}

/// The entry of a map with this key, created if necessary.
Tree& child_of(Tree& parent, const std::string& key, const std::string& empty) {
  if (Tree* found = parent.find(key)) return *found;
  Tree child = parse_yaml(empty, of_diagnosis);
  child.key = key;
  parent.entries.push_back(std::move(child));
  return parent.entries.back();
}

/// Whether an item of `forces:` is this force.
bool is_force(const Tree& item, const std::string& name) {
  return item.kind == Tree::Kind::Map ? item.find(name) != nullptr : item.text == name;
}

/// A value that was not there before.
std::optional<std::string> find_new(const std::set<std::string>& names, const std::set<std::string>& before) {
  const auto found = std::ranges::find_if(names, [&](const std::string& value) { return !before.contains(value); });
  return found == names.end() ? std::optional<std::string>() : *found;
}

/// The document and its fit while forces are added.
class Extension {
 public:
  explicit Extension(const ExperimentDocument& document)
      : document_(document), found_{read_fit(document), {}, {}}, names_(find_value_names(found_.spec)) {}

  /// Additions of one kind; those whose values the experiment has without them are left out.
  void add(const std::string& name, std::vector<IdleAddition> additions) {
    const std::set<std::string> before = names_;
    for (IdleAddition& addition : additions) {
      try {
        ExperimentDocument more = with_addition(document_, addition);
        FitSpec spec = read_and_start(more);
        const std::set<std::string> names = find_value_names(spec);
        const std::string value = find_new(names, names_).value_or(find_new(names, before).value_or(""));
        if (value.empty()) continue;
        addition.value = value;
        names_ = names;
        found_.added.push_back(addition);
        found_.spec = std::move(spec);
        document_ = std::move(more);
      } catch (const InvalidArgument& error) {
        found_.rejected.push_back({name, error.what()});
        return;
      }
    }
  }

  bool has_force(const std::string& name) const {
    const Tree* forces = document_.root.find("forces");
    return forces && std::ranges::any_of(forces->entries, [&](const Tree& item) { return is_force(item, name); });
  }

  ExtendedFit take() { return std::move(found_); }

 private:
  ExperimentDocument document_;
  ExtendedFit found_;
  std::set<std::string> names_;
};

}  // namespace

ExperimentDocument with_addition(ExperimentDocument document, const IdleAddition& addition) {
  Tree item = parse_yaml(addition.settings, of_diagnosis);
  if (addition.of_system) {
    Tree& system = child_of(document.root, "system", "{}");
    for (Tree& entry : item.entries) system.entries.push_back(std::move(entry));
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

ExtendedFit add_candidate_forces(const ExperimentDocument& document, const sim::Vec3& low, const sim::Vec3& high) {
  Extension extension(document);
  for (const sim::ForceInfo& force : sim::forces()) {
    if (!force.idle || (!force.replaces.empty() && !extension.has_force(force.replaces))) continue;
    std::vector<IdleAddition> additions;
    for (const std::string& settings : force.idle(low, high))
      additions.push_back({.settings = force.name + ": " + settings, .replaces = force.replaces});
    extension.add(force.name, std::move(additions));
  }
  const std::string leak = "charge_leak";
  extension.add(leak, {{.settings = leak + ": {rate: 0}", .of_system = true}});
  return extension.take();
}

}  // namespace pithball::app
