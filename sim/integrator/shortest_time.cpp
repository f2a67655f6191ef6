#include "sim/integrator/shortest_time.hpp"

#include <algorithm>
#include <limits>

namespace pithball::sim {
namespace {

double shortest_time_of_flow(const VectorField& u, const State& s) {
  double rate = 0;
  for (Index i = 0; i < s.x.cols(); ++i)
    rate = std::max(rate, (u.jacobian(s.x.col(i), s.t) * s.v.col(i).stableNormalized()).norm());
  return 1 / rate;
}

}  // namespace

double shortest_time(const Model& model, const State& s, const Points& a,
                     const std::function<bool(const ForceTerm&)>& select) {
  if (!s.x.allFinite() || !s.v.allFinite() || !a.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  if (model.is_tracers()) return shortest_time_of_flow(*model.topology().flow, s);
  double shortest = std::numeric_limits<double>::infinity();
  for (const auto& term : model.terms())
    if (select(*term)) shortest = std::min(shortest, term->shortest_time(model, s, a));
  return shortest;
}

double time_to_touch(const Model& model, const State& s, const Points& a) {
  double shortest = std::numeric_limits<double>::infinity();
  for (const auto& term : model.terms()) shortest = std::min(shortest, term->time_to_touch(model, s, a));
  return shortest;
}

}  // namespace pithball::sim
