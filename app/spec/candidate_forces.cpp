#include "app/spec/candidate_forces.hpp"

#include <algorithm>

#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

bool has_value(const FitSpec& spec, const std::string& value) {
  return std::ranges::any_of(spec.problem().scenarios, [&](const diff::Scenario& scenario) {
    return scenario.model.values().find(value).has_value();
  });
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

}  // namespace

const std::vector<CandidateForce>& candidate_forces() {
  static const std::vector<CandidateForce> forces{
      {"linear_drag", "drag: {linear: 0}"},
      {"quadratic_drag", "drag: {quadratic: 0}"},
      {"gravity", "gravity: [0, 0, 0]"},
      {"electric_field", "electric_field: [0, 0, 0]"},
  };
  return forces;
}

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
  ExperimentDocument all = document;
  ExtendedFit found{read_fit(document), {}, {}};
  for (const CandidateForce& force : candidate_forces()) {
    if (has_value(found.spec, force.value)) continue;
    ExperimentDocument more = with_force(all, force.settings);
    try {
      found.spec = read_and_start(more);
    } catch (const InvalidArgument& error) {
      found.rejected.push_back({force.value, error.what()});
      continue;
    }
    all = std::move(more);
    found.added.push_back(force);
  }
  return found;
}

}  // namespace pithball::app
