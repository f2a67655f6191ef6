#include "diff/rollout/forward_rollout.hpp"

#include "diff/rollout/initial_state.hpp"
#include "diff/rollout/rollout.hpp"
#include "sim/core/error.hpp"
#include "sim/run/stepper.hpp"

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

RolloutStatus run_forward(const Scenario& s, const StateVisitor& visit, RolloutCost* cost) {
  const InitialState start(s);
  RolloutStatus status = begun(start);
  if (!status.ok()) return status;
  sim::Stepper stepper(s.model, start.state(), s.integrator, s.stage, s.time_step);
  visit(0, stepper.state());
  while (stepper.n() < s.steps && status.ok()) {
    const sim::StepRecord record = stepper.advance();
    note_step(record, stepper.n(), status, cost);
    if (status.ok()) visit(stepper.n(), stepper.state());
  }
  return status;
}

}  // namespace pithball::diff
