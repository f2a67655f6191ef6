#include "sim/integrator/closest_approach.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace pithball::sim {

double closest_approach(const Model& model, const State& s, const Points& force) {
  Points acceleration = force * model.mass().cwiseInverse().asDiagonal();
  model.clear_held(acceleration);
  if (!s.x.allFinite() || !s.v.allFinite() || !acceleration.allFinite())
    return std::numeric_limits<double>::quiet_NaN();

  const Vector charge = model.at(s.t).charge();
  std::vector<Index> order;
  for (Index i = 0; i < model.particles(); ++i)
    if (charge[i] != 0) order.push_back(i);
  Index axis = 0;
  (s.x.rowwise().maxCoeff() - s.x.rowwise().minCoeff()).maxCoeff(&axis);
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return s.x(axis, i) < s.x(axis, j); });

  // No pair further apart than this can cross its distance within the shortest time found so far.
  const double fastest = 2 * s.v.colwise().norm().maxCoeff(), strongest = 2 * acceleration.colwise().norm().maxCoeff();
  double shortest = std::numeric_limits<double>::infinity(), reach = shortest;
  for (std::size_t a = 0; a < order.size(); ++a)
    for (std::size_t b = a + 1; b < order.size() && s.x(axis, order[b]) - s.x(axis, order[a]) <= reach; ++b) {
      const Index i = order[a], j = order[b];
      const double r = (s.x.col(i) - s.x.col(j)).norm();
      if (r > reach || (model.is_held(i) && model.is_held(j))) continue;
      const double w = (s.v.col(i) - s.v.col(j)).norm(), c = (acceleration.col(i) - acceleration.col(j)).norm();
      // Of 0/0, two charges at one point and at rest relative to each other, the denominator counts: they stay
      // together.
      const double time = std::min(w > 0 ? r / w : std::numeric_limits<double>::infinity(),
                                   c > 0 ? std::sqrt(2 * r / c) : std::numeric_limits<double>::infinity());
      if (!(time < shortest)) continue;
      shortest = time;
      reach = std::max(fastest * shortest, strongest * shortest * shortest / 2);
    }
  return shortest;
}

}  // namespace pithball::sim
