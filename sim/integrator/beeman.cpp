#include "sim/integrator/beeman.hpp"

#include "sim/integrator/acceleration.hpp"

namespace pithball::sim {

const IntegratorInfo Beeman::integrator{
    .name = "beeman",
    .summary =
        "all forces explicit, velocities corrected with three accelerations; second "
        "order because of its starting values",
    .position_order = 2,
    .velocity_order = 2,
    .force_evaluations = 1,
    .startup_steps = 1,
    .history = {"acceleration", "previous_acceleration"}};

History Beeman::do_start(const Model& model, const State& s) {
  const Points a = acceleration(model, s);
  return {a, a};
}

void Beeman::do_step(const Model& model, const TimeStep& step, State& s, History& history, StepOutput& out) {
  const double h = step.h;
  const Points &a = history[0], &before = history[1];
  State next{step.end, s.x + h * s.v + h * h / 6 * (4 * a - before), s.v + h / 2 * (3 * a - before)};
  ImpulseWork work(out.book, model, s.v);
  if (work.felt()) work.felt()->add_all(model, s, h / 2);
  Points after = stage_acceleration(model, next, work.felt(), h / 2);
  s.v += h / 12 * (5 * after + 8 * a - before);
  s.x = std::move(next.x);
  s.t = next.t;
  model.place_held(s.t, s.x, &s.v);
  work.close(s.v);
  history = {std::move(after), std::move(history[0])};
  out.record.work.force_evaluations = 1;
}

}  // namespace pithball::sim
