#include "sim/force/touch.hpp"

#include "sim/model/model.hpp"

namespace pithball::sim {

double touched_mass(const Model& model, Index i, Index j) {
  const auto inverse = [&](Index p) { return p < 0 || model.is_held(p) ? 0 : 1 / model.mass()[p]; };
  return 1 / (inverse(i) + inverse(j));
}

}  // namespace pithball::sim
