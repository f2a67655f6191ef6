#include "sim/integrator/imex_euler.hpp"

namespace pithball::sim {

const SchemeInfo ImexEuler::scheme{.name = "imex_euler",
                                   .summary = "springs implicit, charges explicit, first order: stays bounded in violent motion, damps calm motion",
                                   .position_order = 1,
                                   .velocity_order = 1,
                                   .force_evaluations = 1,
                                   .implicit = true};

void ImexEuler::do_step(const Model& model, double h, State& s, History&, StepTape* tape, StepRecord& record) {
  Points explicit_force = Points::Zero(3, model.particles());
  model.add_forces(s, explicit_force, [](const ForceTraits& t) { return !t.implicit; });
  record.force_evaluations = 1;

  StageProblem stage{.g = h, .t = s.t + h, .predictor = s.x + h * s.v, .reference = s.x, .lagged = s.x, .force = std::move(explicit_force)};
  place_held(model, stage.t, s.x, stage.predictor);
  StageSolution solution;
  solve_stage(stages_, model, stage, solution, record);

  s.v = (solution.z - s.x) / h;
  s.x = solution.z;
  s.t += h;
  model.place_held(s.t, s.x, &s.v);
  if (tape) tape->stages.push_back(std::move(solution));
}

}  // namespace pithball::sim
