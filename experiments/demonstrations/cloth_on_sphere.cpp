#include "experiments/demonstrations/demonstration.hpp"

#include <algorithm>

namespace pithball::experiments {

using namespace app;

std::vector<Claim> cloth_on_sphere_claims(const DemonstrationRun& run) {
  const auto& states = run.trajectory.states;
  const sim::State& end = states.back();
  double nearest = 1e9, lowest = 1e9;
  for (const sim::State& state : states) {
    nearest = std::min(nearest, state.x.colwise().norm().minCoeff());
    lowest = std::min(lowest, state.x.row(2).minCoeff());
  }
  // From the experiment file: a sphere of 0.3 m whose flat triangles are up to 3 mm inside it, and a floor at −0.2 m.
  const double top = 0.3 + run.value("mesh_radius").maxCoeff(), floor = -0.2 + run.value("plane_radius").maxCoeff();
  return {
      claim_within("smallest distance from the sphere's center", nearest, top, 0.006, "m",
                   "radii of sphere and particles"),
      claim_within("lowest particle", lowest, floor, 0.006, "m", "the floor and a radius"),
      claim_within("top of the cloth at the end", end.x.row(2).maxCoeff(), top, 0.006, "m", "it lies on the sphere"),
      claim_within("fastest particle at the end", end.v.colwise().norm().maxCoeff(), 0, 0.1, "m/s",
                   "friction holds it")};
}

}  // namespace pithball::experiments
