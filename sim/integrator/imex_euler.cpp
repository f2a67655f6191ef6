#include "sim/integrator/imex_euler.hpp"

namespace pithball::sim {

const IntegratorInfo ImexEuler::integrator{
    .name = "imex_euler",
    .summary = "springs implicit, charges explicit, first order: stays bounded in violent motion, damps calm motion",
    .position_order = 1,
    .velocity_order = 1,
    .force_evaluations = 1,
    .implicit = true};

void ImexEuler::do_step(const Model& model, double h, State& s, History&, StepOutput& out) {
  const Points none = Points::Zero(3, model.particles());
  Points u = s.v;
  apply_velocity_flows(model, s, h, {FlowOrder::Forward, is_turn}, u);
  StageProblem stage{
      .g = h, .t = s.t + h, .start = s.x, .move = h * u, .velocity = u, .lagged = s.x, .force = none, .drag = true};
  ImpulseWork work(out.book, model, u);
  add_forces(model, s, stage.force, is_explicit, work.felt(), h);
  if (work.felt()) work.felt()->bear(model, h, stage.force);
  out.record.force_evaluations = 1;
  place_held(model, stage.t, none, stage);
  StageSolution solution;
  solve_stage(stages_, model, stage, solution, out.record);

  s.v = solution.velocity();
  s.x += solution.displacement();
  s.t += h;
  model.place_held(s.t, s.x, &s.v);
  if (out.book) book_stage(model, solution, h, *out.book);
  work.close(s.v);
  if (out.tape) out.tape->stages.push_back(std::move(solution));
}

}  // namespace pithball::sim
