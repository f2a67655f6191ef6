#include "sim/integrator/absurd_flight.hpp"

#include "sim/core/finite.hpp"
#include "sim/integrator/acceleration.hpp"
#include "sim/integrator/shortest_time.hpp"

namespace pithball::sim {
namespace {

double largest(const Points& p) { return p.colwise().norm().maxCoeff(); }

/// Whether the ends of a spring were torn apart; `farthest`: the largest norm of `carried`.
bool has_torn(const Model& model, const Points& carried, double farthest) {
  const auto block = model.values().find("rest_length");
  if (!block || model.values().block(*block).size == 0) return false;
  const auto lengths = model.values()[*block];
  if (2 * farthest <= absurd_flight * lengths[0]) return false;  // the usual case, as the longest is no shorter
  const double longest = lengths.maxCoeff();
  if (!(longest > 0)) return false;
  for (const auto& [i, j] : model.springs())
    if ((carried.col(i) - carried.col(j)).norm() > absurd_flight * longest) return true;
  return false;
}

}  // namespace

bool has_diverged(const Model& model, const State& before, const State& after, double h) {
  if (!is_finite(after.x) || !is_finite(after.v)) return true;
  Points carried = h * (after.v - before.v);
  model.clear_held(carried);
  const double speed = largest(before.v), farthest = largest(carried);
  if (has_torn(model, carried, farthest)) return true;
  if (farthest <= absurd_flight * h * speed) return false;
  const double extent = (before.x.rowwise().maxCoeff() - before.x.rowwise().minCoeff()).norm();
  if (!(farthest > absurd_flight * (extent + h * speed))) return false;
  const Points a = acceleration(model, before);
  const double time = shortest_time(model, before, a, every_term);
  return farthest > absurd_flight * time * (speed + time * largest(a));
}

}  // namespace pithball::sim
