#include "sim/integrator/theta.hpp"

#include "sim/integrator/impulses.hpp"

namespace pithball::sim {

const IntegratorInfo Theta::integrator{
    .name = "theta",
    .summary = "all forces implicit, charges too: with theta 1/2 (default) the trapezoidal rule, second order",
    .position_order = 2,
    .velocity_order = 2,
    .force_evaluations = 3,
    .implicit = true,
    .time_reversible = true};

const IntegratorInfo Theta::implicit_euler{.name = "implicit_euler",
                                           .summary = "all forces implicit, charges too, first order: the most damping",
                                           .position_order = 1,
                                           .velocity_order = 1,
                                           .force_evaluations = 2,
                                           .implicit = true};

Theta::Options Theta::read(Settings& settings) {
  Options options;
  options.theta =
      settings.number("theta", "", "weight of the state at the end of the step, between 0 (explicit) and 1", 0.5);
  if (!(options.theta >= 0 && options.theta <= 1))
    settings.reject("theta", "must be between 0 and 1", std::to_string(options.theta),
                    "1/2 is the trapezoidal rule, 1 the implicit Euler method");
  options.linearized =
      settings.choice("newton_iterations", {"converge", "1"},
                      "`converge`: iterate to simulation.tolerance; `1`: solve only the linearized step",
                      "converge") == "1";
  return options;
}

Theta::Theta(const IntegratorInfo& info, Options options, StageOptions stage)
    : info_(info), options_(options), stages_(std::move(stage)) {
  const bool trapezoidal = options_.theta == 0.5;
  info_.position_order = info_.velocity_order = trapezoidal ? 2 : 1;
  info_.time_reversible = trapezoidal && !options_.linearized;
  info_.implicit = options_.theta > 0;
  info_.force_evaluations = (options_.theta < 1) + (options_.theta > 0) * (options_.linearized ? 1 : 2);
}

void Theta::do_step(const Model& model, const TimeStep& step, State& s, History&, StepOutput& out) {
  const double h = step.h;
  const double theta = options_.theta, g = theta * h;
  ImpulseWork work(out.book, model, s.v);
  const Points a =
      theta < 1 ? acceleration(model, s, work.impulses(), (1 - theta) * h) : Points(Points::Zero(3, model.particles()));
  out.record.work.force_evaluations = theta < 1 ? 1 : 0;
  if (theta == 0) {
    s.x += h * s.v;
    s.v += h * a;
    s.t = step.end;
    model.place_held(s.t, s.x, &s.v);
    work.close(s.v);
    return;
  }
  const Points passed = (1 - theta) * h * s.v;
  StageProblem stage{.g = g,
                     .t = step.end,
                     .start = s.x,
                     .move = h * s.v + theta * (1 - theta) * h * h * a,
                     .velocity = s.v + (1 - theta) * h * a,
                     .lagged = {},
                     .force = {}};
  place_held(model, stage.t, passed, stage);
  StageSolution solution;
  add_stage(
      options_.linearized ? stages_.solve_linearized(model, stage, s, solution) : stages_.solve(model, stage, solution),
      out.record);
  s.v = solution.velocity();
  s.x += solution.displacement();
  s.t = step.end;
  model.place_held(s.t, s.x, &s.v);
  if (work.impulses()) work.impulses()->add_all(model, s, g);
  work.close(s.v);
  if (out.tape) out.tape->stages.push_back(std::move(solution));
}

}  // namespace pithball::sim
