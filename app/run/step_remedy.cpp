#include "app/run/step_remedy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace pithball::app {
namespace {

bool acts_between_particles(const sim::Model& model) {
  return std::ranges::any_of(model.terms(), [](const auto& term) {
    return term->traits().energy == sim::EnergyKind::Coulomb || term->traits().energy == sim::EnergyKind::Interaction;
  });
}

/// Returns the integrators that handle this problem better than most, each with the reason.
std::vector<std::pair<std::string, std::string>> integrators_against(StepTrouble trouble, const sim::Model& model,
                                                                     bool approach) {
  if (model.is_tracers() || !model.constraints().empty()) return {};  // these require specific integrators
  if (trouble == StepTrouble::NotConverged) return {};
  // The energy comes from random impulses and is removed by friction: if the steps do not resolve the friction, other
  // integrators fail as well.
  if (std::ranges::any_of(model.terms(), [](const auto& term) { return bool(term->template as<sim::Kick>()); }))
    return {};
  if (trouble == StepTrouble::LostEnergy) return {{sim::default_integrator, "which has no numerical damping"}};
  std::vector<std::pair<std::string, std::string>> integrators;
  if (!approach) integrators.push_back({"imex_euler", "which damps motion that the time step does not resolve"});
  if (approach || acts_between_particles(model))
    integrators.push_back({"imex_adaptive", "which takes substeps during close approaches"});
  return integrators;
}

/// Returns κ [m³/s²] if two particles attract each other as κ/r² by a force that has a softening, and 0 otherwise.
double attraction(const sim::CloseApproach& near, const sim::Model& model) {
  if (near.other < 0) return 0;
  const auto mobility = [&](sim::Index i) { return model.is_held(i) ? 0.0 : 1 / model.mass()[i]; };
  const double both = mobility(near.particle) + mobility(near.other);
  const auto product = [&](const sim::Vector& weight) { return std::abs(weight[near.particle] * weight[near.other]); };
  if (near.force == "coulomb") return sim::coulomb_constant * product(model.charge()) * both;
  if (near.force != "newtonian_gravity") return 0;
  return std::abs(model.values()[*model.values().find("gravitational_constant")][0]) * product(model.mass()) * both;
}

/// Recommends the softening ε with which the steps resolve a head-on approach of two particles: the distance ε takes
/// ten steps at the maximum speed √(2 κ/ε).
std::string softening_remedy(const sim::CloseApproach& near, const diff::Scenario& scenario) {
  const double kappa = attraction(near, scenario.model.at(near.t));
  if (!(kappa > 0)) return "";
  return fmt::format(
      ", or write `softening: {:.2g} m` in forces.{}, if they meet head on: points have no size that would stop them",
      std::cbrt(200 * kappa * scenario.time_step * scenario.time_step), near.force);
}

}  // namespace

std::string step_remedy(StepTrouble trouble, const diff::Scenario& scenario,
                        const std::optional<sim::CloseApproach>& approach) {
  std::string text = fmt::format("reduce simulation.time_step (now {:g} s)", scenario.time_step);
  if (!scenario.model.constraints().empty()) text += ", or take more substeps of xpbd";
  if (trouble == StepTrouble::NotConverged && scenario.integrator.info().implicit)
    text += ", or increase simulation.max_iterations";
  for (const auto& [name, reason] : integrators_against(trouble, scenario.model, approach.has_value()))
    if (name != scenario.integrator.name()) text += fmt::format(", or write `integrator: {}`, {}", name, reason);
  if (approach) text += softening_remedy(*approach, scenario);
  return text;
}

}  // namespace pithball::app
