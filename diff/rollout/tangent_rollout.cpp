#include "diff/rollout/initial_state.hpp"
#include "diff/rollout/rollout.hpp"
#include "diff/rollout/rollout_cost.hpp"
#include "diff/step/force_linearisation.hpp"
#include "sim/core/error.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::diff {

RolloutStatus run_tangent(const Scenario& s, const Eigen::MatrixXd& directions, const TangentVisitor& visit,
                          RolloutCost* cost) {
  if (directions.rows() != s.size())
    throw InvalidArgument({"run_tangent", "directions", "must have " + std::to_string(s.size()) + " rows",
                           std::to_string(directions.rows()), ""});
  const StepDerivative& derivative = step_derivative(s.integrator.name(), s.model);
  const InitialState start(s);
  if (!start.found()) return no_rest();
  sim::Stepper stepper(s.model, start.state(), s.integrator, s.stage, s.time_step);
  const Index n = s.model.particles(), count = directions.cols();
  const Eigen::MatrixXd dvalues = directions.topRows(s.model.values().size());
  DerivativeCost made;

  std::vector<StateVariation> d(static_cast<std::size_t>(count));
  Eigen::MatrixXd dx(3 * n, count), dv(3 * n, count);
  const auto show = [&] {
    for (Index p = 0; p < count; ++p) {
      dx.col(p) = sim::flat(d[static_cast<std::size_t>(p)].x);
      dv.col(p) = sim::flat(d[static_cast<std::size_t>(p)].v);
    }
    visit(stepper.n(), stepper.state(), dx, dv);
  };
  for (Index p = 0; p < count; ++p) {
    auto& here = d[static_cast<std::size_t>(p)];
    here.x = directions.col(p).segment(s.position_offset(), 3 * n).reshaped(3, n);
    here.v = directions.col(p).segment(s.velocity_offset(), 3 * n).reshaped(3, n);
    start.add_jvp(dvalues.col(p), here.x);
    restrict_held(s.model, here.x, here.v);
    derivative.start_tangent(s.model, stepper.state(), here, dvalues.col(p), made);
  }
  show();

  RolloutStatus status;
  sim::StepTape tape;
  while (stepper.n() < s.steps && status.ok()) {
    const sim::StepRecord record = stepper.advance(&tape);
    note_step(record, stepper.n(), status, cost);
    if (!status.ok()) break;
    derivative.tangent(s.model, tape, d, dvalues, made);
    if (!made.reliable && status.unreliable_step < 0) status.unreliable_step = stepper.n();
    show();
  }
  if (cost) note_derivative(made, *cost);
  return status;
}

}  // namespace pithball::diff
