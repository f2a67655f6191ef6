#include "diff/rollout/rollout.hpp"
#include "sim/core/error.hpp"

namespace pithball::diff {

Vector Scenario::physical_values() const {
  Vector all(size());
  all << model.values().data(), sim::flat(initial.x), sim::flat(initial.v);
  return all;
}

Scenario Scenario::with_physical_values(const Vector& all) const {
  if (all.size() != size())
    throw InvalidArgument({"Scenario", "physical values", "must have " + std::to_string(size()) + " entries",
                           std::to_string(all.size()), ""});
  Scenario copy = *this;
  copy.model = model.with_values(all.head(model.values().size()));
  sim::flat(copy.initial.x) = all.segment(position_offset(), 3 * model.particles());
  sim::flat(copy.initial.v) = all.segment(velocity_offset(), 3 * model.particles());
  return copy;
}

}  // namespace pithball::diff
