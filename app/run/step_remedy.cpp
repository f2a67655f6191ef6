#include "app/run/step_remedy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace pithball::app {
namespace {

bool acts_between_particles(const sim::Model& model) {
  return std::ranges::any_of(model.terms(), [](const auto& term) {
    return term->traits().energy == sim::EnergyKind::Coulomb || term->traits().energy == sim::EnergyKind::Interaction;
  });
}

/// Integrators that cope with this problem better than most, each with the reason.
std::vector<std::pair<std::string, std::string>> integrators_against(StepTrouble trouble, const sim::Model& model) {
  if (model.is_tracers() || !model.constraints().empty()) return {};  // they are bound to integrators of their own
  if (trouble == StepTrouble::NotConverged) return {};
  // Energy that impulses give and friction takes: with friction that steps do not resolve, others are off as well.
  if (std::ranges::any_of(model.terms(), [](const auto& term) { return bool(term->template as<sim::Kick>()); }))
    return {};
  if (trouble == StepTrouble::LostEnergy) return {{sim::default_integrator, "which has no numerical damping"}};
  std::vector<std::pair<std::string, std::string>> integrators{
      {"imex_euler", "which damps motion that the time step does not resolve"}};
  if (acts_between_particles(model))
    integrators.push_back({"imex_adaptive", "which takes substeps during close approaches"});
  return integrators;
}

}  // namespace

std::string step_remedy(StepTrouble trouble, const diff::Scenario& scenario) {
  std::string text = fmt::format("reduce simulation.time_step (now {:g} s)", scenario.time_step);
  if (!scenario.model.constraints().empty()) text += ", or take more substeps of xpbd";
  if (trouble == StepTrouble::NotConverged) text += ", or increase simulation.max_iterations";
  for (const auto& [name, reason] : integrators_against(trouble, scenario.model))
    if (name != scenario.integrator.name()) text += fmt::format(", or write `integrator: {}`, {}", name, reason);
  return text;
}

}  // namespace pithball::app
