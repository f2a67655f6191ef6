#include "app/experiment/sphere_masses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pithball::app {
namespace {

constexpr const char* radius_value = "hydrodynamic_radius";
/// Part of a mass that may be rounding of the numbers in a file.
constexpr double rounding_of_mass = 1e-9;

/// Rejects spheres whose mass is that of another radius than their drag.
void require_one_radius(const Node& fit, const diff::Scenario& scenario, double density) {
  const sim::Values& values = scenario.model.values();
  const auto radius = values[*values.find(radius_value)];
  const auto mass = scenario.model.mass();
  for (Index i = 0; i < mass.size(); ++i) {
    const double of_drag = mass_per_cube(density) * radius[i] * radius[i] * radius[i];
    if (std::abs(mass[i] - of_drag) > rounding_of_mass * mass[i])
      fit.reject("parameters", fmt::format("must have one radius of particle {} for mass and drag", i),
                 fmt::format("{:g} m in forces.medium, and a mass of {:g} kg", radius[i], mass[i]),
                 "write the same radius in system.mass and forces.medium");
  }
}

}  // namespace

void tie_sphere_masses(const Node& fit, const Experiment& base, const std::vector<Recording>& recordings,
                       std::vector<optim::Parameter>& parameters) {
  const std::optional<double> density = base.body.known_mass.sphere_density;
  const auto is_radius = [](const optim::Parameter& p) { return p.value == radius_value; };
  if (!density || std::ranges::none_of(parameters, is_radius)) return;
  for (const optim::Parameter& p : parameters)
    if (p.value == "mass")
      fit.reject("parameters", "must not contain mass beside the radius of spheres", "both",
                 "leave mass out: it follows the radius, or write system.mass without a density");
  require_one_radius(fit, base.scenario, *density);
  for (const Recording& recording : recordings)
    if (recording.own.body.known_mass.sphere_density != density)
      fit.reject("recordings", "must have one density of the spheres", "another one of '" + recording.name + "'",
                 "fit recordings of other densities in other files");
  std::vector<optim::Parameter> masses;
  for (const optim::Parameter& radius : parameters) {
    if (!is_radius(radius)) continue;
    if (radius.tie)
      fit.reject("parameters", "must not tie the radius of spheres whose mass follows it", "tied_to",
                 "write system.mass without a density, and tie mass and radius to one parameter");
    optim::Parameter mass;
    mass.value = "mass";
    mass.name = radius.printed_name() == radius_value ? "" : "mass of " + radius.printed_name();
    mass.entries.selected = radius.entries.selected;
    mass.recordings.scenarios = radius.recordings.scenarios;
    mass.tie = optim::Tie{.to = radius.printed_name(), .factor = mass_per_cube(*density), .power = 3};
    masses.push_back(std::move(mass));
  }
  parameters.insert(parameters.end(), masses.begin(), masses.end());
}

}  // namespace pithball::app
