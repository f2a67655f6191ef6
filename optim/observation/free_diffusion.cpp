#include "optim/observation/free_diffusion.hpp"

#include <set>
#include <string>

#include "sim/core/error.hpp"
#include "sim/force/free_drift.hpp"

namespace pithball::optim {
namespace {

[[noreturn]] void reject_walk(const diff::Scenario& scenario, const std::string& required, const std::string& got,
                              const std::string& remedy) {
  throw InvalidArgument({"", "recording '" + scenario.name + "': brownian", required, got, remedy});
}

}  // namespace

Vector compute_diffusion(const diff::Scenario& scenario, const Observation& seen) {
  if (const std::string hindrance = sim::find_hindrance(scenario.model); !hindrance.empty())
    reject_walk(scenario, "must be of particles that drift freely", hindrance,
                "leave `brownian` out; in other motions random impulses have no effect in closed form");
  if (scenario.rest_near) reject_walk(scenario, "must begin at a given state", "an equilibrium", "write another start");
  if (!kind_of(seen).geometry.is_place || seen.reference.kind != Reference::Kind::Absolute)
    reject_walk(scenario, "must be of positions of points", "other readings", "leave it out");
  const Vector drag = sim::drag_coefficients(scenario.model);
  std::set<Index> followed;
  Vector diffusion(static_cast<Index>(seen.markers.size()));
  for (Index m = 0; m < diffusion.size(); ++m) {
    const auto& [name, vertices] = seen.markers[m];
    if (vertices.size() != 1 || vertices.front().second != 1 || !followed.insert(vertices.front().first).second)
      reject_walk(scenario, "must be of markers that follow one particle each", "marker '" + name + "'",
                  "list a particle for each marker");
    const double c = drag[vertices.front().first];
    if (!(c > 0))
      reject_walk(scenario, "must be of particles with linear drag", "none on that of marker '" + name + "'",
                  "add the force `medium`");
    diffusion[m] = seen.noise.thermal_energy / c;
  }
  return diffusion;
}

}  // namespace pithball::optim
