#include "sim/integrator/leapfrog.hpp"

#include "sim/integrator/acceleration.hpp"

namespace pithball::sim {

const SchemeInfo Leapfrog::scheme{
    .name = "leapfrog",
    .summary = "all forces explicit, positions of second order, carries velocities half a step back",
    .position_order = 2,
    .velocity_order = 1,
    .force_evaluations = 1,
    .symplectic = true,
    .startup_steps = 1,
    .history = {"acceleration"}};

void Leapfrog::do_synchronise(const Model& model, double h, State& s, const History& history) const {
  if (history.empty()) return;  // no step made: the velocity is v_0
  State now = s;
  now.v += h / 2 * history[0];
  s.v += h / 2 * stage_acceleration(model, now);
}

void Leapfrog::do_step(const Model& model, double h, State& s, History& history, StepTape*, StepRecord& record) {
  const bool first = history.empty();
  State now = s;
  if (!first) now.v += h / 2 * history[0];
  Points a = stage_acceleration(model, now);
  s.v += (first ? h / 2 : h) * a;
  s.x += h * s.v;
  s.t += h;
  model.place_held(s.t, s.x, &s.v);
  history = {std::move(a)};
  record.force_evaluations = 1;
}

}  // namespace pithball::sim
