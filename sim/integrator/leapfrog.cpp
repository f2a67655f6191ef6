#include "sim/integrator/leapfrog.hpp"

#include "sim/integrator/acceleration.hpp"

namespace pithball::sim {

const IntegratorInfo Leapfrog::integrator{
    .name = "leapfrog",
    .summary = "all forces explicit, positions of second order, stores velocities half a step earlier",
    .position_order = 2,
    .velocity_order = 1,
    .force_evaluations = 1,
    .time_reversible = true,
    .symplectic = true,
    .startup_steps = 1,
    .history = {"acceleration"}};

void Leapfrog::do_synchronize(const Model& model, double h, State& s, const History& history, Losses* book) const {
  if (history.empty()) return;  // no step made: the velocity is v_0
  State now = s;
  now.v += h / 2 * history[0];
  ImpulseWork work(book, model, s.v);
  s.v += h / 2 * stage_acceleration(model, now, work.felt(), h / 2);
  work.close(s.v);
}

void Leapfrog::do_step(const Model& model, const TimeStep& step, State& s, History& history, StepOutput& out) {
  const double h = step.h;
  const bool first = history.empty();
  State now = s;
  if (!first) now.v += h / 2 * history[0];
  const double kick = first ? h / 2 : h;
  ImpulseWork work(out.book, model, s.v);
  Points a = stage_acceleration(model, now, work.felt(), kick);
  s.v += kick * a;
  work.close(s.v);
  s.x += h * s.v;
  s.t = step.end;
  model.place_held(s.t, s.x, &s.v);
  history = {std::move(a)};
  out.record.work.force_evaluations = 1;
}

}  // namespace pithball::sim
