#include "sim/integrator/imex_midpoint.hpp"

#include <ranges>

namespace pithball::sim {

const SchemeInfo ImexMidpoint::scheme{.name = "imex_midpoint",
                                      .summary = "springs by implicit midpoint, charges by half kicks, second order: the choice for accuracy at large steps",
                                      .position_order = 2,
                                      .velocity_order = 2,
                                      .force_evaluations = 1,
                                      .implicit = true,
                                      .time_reversible = true,
                                        .symplectic = true,
                                      .history = {"force"}};

History ImexMidpoint::do_start(const Model& model, const State& s) {
  Points force = Points::Zero(3, model.particles());
  model.add_forces(s, force, is_slow);
  return {std::move(force)};
}

void ImexMidpoint::do_step(const Model& model, double h, State& s, History& history, StepTape* tape, StepRecord& record) {
  const double g = h / 2;
  const auto inverse_mass = model.mass().cwiseInverse().eval();
  const auto kick = [&](const Points& force, Points& v) {
    Points change = g * force * inverse_mass.asDiagonal();
    model.clear_held(change);
    v += change;
  };

  Points u = s.v;
  kick(history[0], u);
  for (const auto& term : model.terms())
    if (is_flow(term->traits())) term->flow_velocity(model, {s.t, s.x, u}, g, u);

  StageProblem stage{.g = g, .t = s.t + g, .predictor = s.x + g * u, .reference = s.x, .lagged = {}, .force = Points::Zero(3, model.particles())};
  // Held particles sit half-way between the step's ends, not at the path's own midpoint: only so is (z − x)/g their mean
  // velocity over the step, which a damper to a driven particle needs for second order.
  Points end = s.x;
  model.place_held(s.t + h, end);
  for (const Held& held : model.topology().held) stage.predictor.col(held.particle) = (s.x.col(held.particle) + end.col(held.particle)) / 2;
  stage.lagged = stage.predictor;
  StageSolution solution;
  solve_stage(stages_, model, stage, solution, record);

  s.v = 2 / g * (solution.z - s.x) - u;
  s.x = 2 * solution.z - s.x;
  s.t += h;
  model.place_held(s.t, s.x, &s.v);
  for (const auto& term : std::views::reverse(model.terms()))
    if (is_flow(term->traits())) term->flow_velocity(model, {s.t, s.x, s.v}, g, s.v);
  history = do_start(model, s);
  record.force_evaluations = 1;
  kick(history[0], s.v);
  model.place_held(s.t, s.x, &s.v);  // a flow may have moved the velocity of a held particle
  if (tape) tape->stages.push_back(std::move(solution));
}

}  // namespace pithball::sim
