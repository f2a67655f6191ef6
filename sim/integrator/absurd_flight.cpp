#include "sim/integrator/absurd_flight.hpp"

#include "sim/integrator/acceleration.hpp"
#include "sim/integrator/shortest_time.hpp"

namespace pithball::sim {
namespace {

double largest(const Points& p) { return p.colwise().norm().maxCoeff(); }

/// Whether the ends of a spring were torn apart.
bool has_torn(const Model& model, const Points& carried) {
  const auto block = model.values().find("rest_length");
  const double longest = block && model.values().block(*block).size > 0 ? model.values()[*block].maxCoeff() : 0;
  if (!(longest > 0)) return false;
  for (const auto& [i, j] : model.springs())
    if ((carried.col(i) - carried.col(j)).norm() > absurd_flight * longest) return true;
  return false;
}

}  // namespace

bool has_diverged(const Model& model, const State& before, const State& after, double h) {
  if (!after.x.allFinite() || !after.v.allFinite()) return true;
  Points carried = h * (after.v - before.v);
  model.clear_held(carried);
  if (has_torn(model, carried)) return true;
  const double extent = (before.x.rowwise().maxCoeff() - before.x.rowwise().minCoeff()).norm();
  const double speed = largest(before.v), farthest = largest(carried);
  if (!(farthest > absurd_flight * (extent + h * speed))) return false;
  const Points a = acceleration(model, before);
  const double time = shortest_time(model, before, a, every_term);
  return farthest > absurd_flight * time * (speed + time * largest(a));
}

}  // namespace pithball::sim
