#include "sim/integrator/verlet.hpp"

#include "sim/integrator/impulses.hpp"

namespace pithball::sim {

const IntegratorInfo Verlet::integrator{
    .name = "verlet",
    .summary = "Störmer's recurrence in positions, second order, stores the mean velocity of the last step",
    .position_order = 2,
    .velocity_order = 1,
    .force_evaluations = 1,
    .time_reversible = true,
    .symplectic = true,
    .startup_steps = 1,
    .history = {"acceleration"}};

void Verlet::do_synchronize(const Model& model, double h, State& s, const History& history, Losses* book) const {
  if (history.empty()) return;  // before the first step: the velocity is v_0
  State now = s;
  now.v += h / 2 * history[0];
  ImpulseWork work(book, model, s.v);
  s.v += h / 2 * stage_acceleration(model, now, work.impulses(), h / 2);
  work.close(s.v);
}

void Verlet::do_step(const Model& model, const TimeStep& step, State& s, History& history, StepOutput& out) {
  const double h = step.h;
  const bool first = history.empty();
  State now = s;
  if (!first) now.v += h / 2 * history[0];
  const double kick = first ? h / 2 : h;
  ImpulseWork work(out.book, model, s.v);
  Points a = stage_acceleration(model, now, work.impulses(), kick);
  s.v += kick * a;
  work.close(s.v);
  s.x += h * s.v;
  history = {std::move(a)};
  s.t = step.end;
  model.place_held(s.t, s.x, &s.v);
  out.record.work.force_evaluations = 1;
}

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
  if (history.empty()) return;  // before the first step: the velocity is v_0
  State now = s;
  now.v += h / 2 * history[0];
  ImpulseWork work(book, model, s.v);
  s.v += h / 2 * stage_acceleration(model, now, work.impulses(), h / 2);
  work.close(s.v);
}

void Leapfrog::do_step(const Model& model, const TimeStep& step, State& s, History& history, StepOutput& out) {
  const double h = step.h;
  const bool first = history.empty();
  State now = s;
  if (!first) now.v += h / 2 * history[0];
  const double kick = first ? h / 2 : h;
  ImpulseWork work(out.book, model, s.v);
  Points a = stage_acceleration(model, now, work.impulses(), kick);
  s.v += kick * a;
  work.close(s.v);
  s.x += h * s.v;
  s.t = step.end;
  model.place_held(s.t, s.x, &s.v);
  history = {std::move(a)};
  out.record.work.force_evaluations = 1;
}

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
  if (work.impulses()) work.impulses()->add_all(model, s, h / 2);
  Points after = stage_acceleration(model, next, work.impulses(), h / 2);
  s.v += h / 12 * (5 * after + 8 * a - before);
  s.x = std::move(next.x);
  s.t = next.t;
  model.place_held(s.t, s.x, &s.v);
  work.close(s.v);
  history = {std::move(after), std::move(history[0])};
  out.record.work.force_evaluations = 1;
}

}  // namespace pithball::sim
