#include "sim/integrator/imex_bdf2.hpp"

namespace pithball::sim {

const SchemeInfo ImexBdf2::scheme{
    .name = "imex_bdf2",
    .summary = "springs implicit by BDF2, charges extrapolated, second order: damps what large steps do not resolve",
    .position_order = 2,
    .velocity_order = 2,
    .force_evaluations = 1,
    .implicit = true,
    .startup_steps = 1,
    .history = {"position", "velocity", "force"}};

const std::string& ImexBdf2::linear_solver() const {
  return stages_.linear_solver().empty() ? first_.linear_solver() : stages_.linear_solver();
}

void ImexBdf2::do_step(const Model& model, double h, State& s, History& history, StepTape* tape, StepRecord& record) {
  Points force = Points::Zero(3, model.particles());
  model.add_forces(s, force, [](const ForceTraits& t) { return !t.implicit; });
  State now = s;
  if (history.empty()) {
    History start = first_.start(model, s);
    record = first_.step(model, h, s, start, tape);
    record.force_evaluations += 2;  // for this history and for that
  } else {
    const double g = 2 * h / 3;
    const Points y_x = (4 * s.x - history[0]) / 3, y_v = (4 * s.v - history[1]) / 3;
    StageProblem stage{.g = g,
                       .t = s.t + h,
                       .predictor = y_x + g * y_v,
                       .reference = y_x,
                       .lagged = 2 * s.x - history[0],
                       .force = 2 * force - history[2]};
    place_held(model, stage.t, s.x, stage.predictor);
    StageSolution solution;
    record.force_evaluations = 1;
    solve_stage(stages_, model, stage, solution, record);
    s.v = (solution.z - y_x) / g;
    s.x = solution.z;
    s.t += h;
    model.place_held(s.t, s.x, &s.v);
    if (tape) tape->stages.push_back(std::move(solution));
  }
  history = {std::move(now.x), std::move(now.v), std::move(force)};
}

}  // namespace pithball::sim
