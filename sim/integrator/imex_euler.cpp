#include "sim/integrator/imex_euler.hpp"

namespace pithball::sim {

const IntegratorInfo ImexEuler::integrator{
    .name = "imex_euler",
    .summary = "springs implicit, charges explicit, first order: stays bounded in violent motion, damps calm motion",
    .position_order = 1,
    .velocity_order = 1,
    .force_evaluations = 1,
    .implicit = true};

void ImexEuler::do_step(const Model& model, const TimeStep& step, State& s, History&, StepOutput& out) {
  const double h = step.h;
  StageProblem& stage = solution_.problem;
  stage.g = h;
  stage.t = step.end;
  stage.drag = true;
  stage.start = stage.lagged = s.x;
  stage.velocity = s.v;
  apply_velocity_flows(model, s, h, {FlowOrder::Forward, is_turn}, stage.velocity);
  stage.move = h * stage.velocity;
  ImpulseWork work(out.book, model, stage.velocity);
  stage.force.setZero(3, model.particles());
  place_held(model, stage.t, stage.force, stage);  // none has passed: 0
  add_forces(model, s, stage.force, is_explicit, work.felt(), h);
  if (work.felt()) work.felt()->bear(model, h, stage.force);
  out.record.work.force_evaluations = 1;
  solve_stage(stages_, model, solution_, out.record);

  s.v = solution_.velocity();
  s.x += solution_.displacement();
  s.t = step.end;
  model.place_held(s.t, s.x, &s.v);
  if (out.book) book_stage(model, solution_, h, *out.book);
  work.close(s.v);
  if (out.tape) out.tape->stages.push_back(std::move(solution_));
}

}  // namespace pithball::sim
