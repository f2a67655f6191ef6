#include "sim/integrator/gear.hpp"

#include <array>

#include "sim/integrator/impulses.hpp"

namespace pithball::sim {

const IntegratorInfo Gear::integrator{
    .name = "gear",
    .summary =
        "predictor–corrector with five derivatives, one force evaluation; second order "
        "because it starts with zero derivatives",
    .position_order = 2,
    .velocity_order = 2,
    .force_evaluations = 1,
    .startup_steps = 1,
    .history = {"acceleration", "jerk", "snap", "crackle"}};

History Gear::do_start(const Model& model, const State& s) {
  const Points zero = Points::Zero(3, model.particles());
  return {acceleration(model, s), zero, zero, zero};
}

void Gear::do_step(const Model& model, const TimeStep& step, State& s, History& history, StepOutput& out) {
  const double h = step.h;
  constexpr std::size_t count = 6;
  constexpr std::array<double, count> corrector{3 / 20.0, 251 / 360.0, 1, 11 / 18.0, 1 / 6.0, 1 / 60.0};
  std::array<double, count> scale{1, h};  // h^k/k!
  for (std::size_t k = 2; k < count; ++k) scale[k] = scale[k - 1] * h / k;
  std::array<Points, count> r{s.x, scale[1] * s.v};
  for (std::size_t k = 2; k < count; ++k) r[k] = scale[k] * history[k - 2];

  // Pascal's triangle: after pass p every entry from p on has been added to all sums above it.
  for (std::size_t pass = 0; pass + 1 < count; ++pass)
    for (std::size_t j = count - 1; j-- > pass;) r[j] += r[j + 1];

  State predicted{step.end, r[0], r[1] / h};
  ImpulseWork work(out.book, model, s.v);
  if (work.impulses()) work.impulses()->add_all(model, s, h / 2);
  const Points difference = scale[2] * stage_acceleration(model, predicted, work.impulses(), h / 2) - r[2];
  for (std::size_t k = 0; k < count; ++k) r[k] += corrector[k] * difference;

  s = {step.end, std::move(r[0]), r[1] / h};
  for (std::size_t k = 2; k < count; ++k) history[k - 2] = r[k] / scale[k];
  model.place_held(s.t, s.x, &s.v);
  work.close(s.v);
  out.record.work.force_evaluations = 1;
}

}  // namespace pithball::sim
