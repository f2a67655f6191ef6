#include "app/spec/candidate_forces.hpp"

#include <set>

#include "sim/core/error.hpp"
#include "sim/force/force_registry.hpp"

namespace pithball::app {
namespace {

std::set<std::string> value_names(const FitSpec& spec) {
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

/// The document and its fit while forces are added.
class Extension {
 public:
  explicit Extension(const ExperimentDocument& document)
      : document_(document), found_{read_fit(document), {}, {}}, names_(value_names(found_.spec)) {}

  void add(const std::string& force, const std::string& settings) {
    const std::string item = force + ": " + settings;
    ExperimentDocument more = with_force(document_, item);
    try {
      FitSpec spec = read_and_start(more);
      std::set<std::string> names = value_names(spec);
      if (names.size() == names_.size()) return;  // the experiment has this force
      for (const std::string& name : names)
        if (!names_.contains(name)) found_.added.push_back({name, item});
      names_ = std::move(names);
      found_.spec = std::move(spec);
      document_ = std::move(more);
    } catch (const InvalidArgument& error) {
      found_.rejected.push_back({force, error.what()});
    }
  }

  ExtendedFit take() { return std::move(found_); }

 private:
  ExperimentDocument document_;
  ExtendedFit found_;
  std::set<std::string> names_;
};

}  // namespace

ExperimentDocument with_force(ExperimentDocument document, const std::string& settings) {
  Tree* forces = document.root.find("forces");
  if (!forces) {
    Tree none = parse_yaml("[]", "diagnose");
    none.key = "forces";
    document.root.entries.push_back(std::move(none));
    forces = &document.root.entries.back();
  }
  forces->entries.push_back(parse_yaml(settings, "diagnose"));
  return document;
}

ExtendedFit add_candidate_forces(const ExperimentDocument& document) {
  Extension extension(document);
  for (const sim::ForceInfo& force : sim::forces())
    for (const std::string& settings : force.idle) extension.add(force.name, settings);
  return extension.take();
}

}  // namespace pithball::app
