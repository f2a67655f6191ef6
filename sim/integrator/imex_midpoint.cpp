#include "sim/integrator/imex_midpoint.hpp"

#include "sim/integrator/extended_force.hpp"

namespace pithball::sim {

const IntegratorInfo ImexMidpoint::integrator{
    .name = "imex_midpoint",
    .summary =
        "springs by implicit midpoint, charges by velocity half-steps, second order: most accurate at large steps",
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

History ImexMidpoint::do_extend(const Model& model, const State& s, const History& earlier) {
  return {extended_force(model, s, earlier[0], is_slow)};
}

void ImexMidpoint::do_step(const Model& model, const TimeStep& step, State& s, History& history, StepOutput& out) {
  const double h = step.h;
  const double g = h / 2;
  inverse_mass_ = model.mass().cwiseInverse();
  // `at`: where the force was summed.
  const auto kick = [&](const State& at, const Points& force, Points& v) {
    change_ = g * force * inverse_mass_.asDiagonal();
    model.clear_held(change_);
    ImpulseWork work(out.book, model, v);
    v += change_;
    if (work.felt()) {
      Points again = Points::Zero(3, model.particles());  // the force is their sum with all others
      work.felt()->add_forces(model, at, again, g,
                              [](const ForceTerm& term) { return is_slow(term) && Impulses::books(term); });
      work.felt()->bear(model, g, force);
    }
    work.close(v);
  };

  Points& u = first_velocity_;
  u = s.v;
  kick(s, history[0], u);
  apply_velocity_flows(model, s, g, FlowOrder::Forward, u, flow_book(model, s, g, out.book));

  StageProblem& stage = solution_.problem;
  stage.g = g;
  stage.t = s.t + g;
  stage.start = s.x;
  stage.move = g * u;
  stage.velocity = u;
  stage.force.setZero(3, model.particles());
  // Held particles sit half-way between the step's ends, not at the path's own midpoint: only so is the stage's
  // velocity their mean over the step, which a damper to a driven particle needs for second order.
  place_held(model, step.end, stage.force, stage);  // none has passed: 0
  for (const Held& held : model.topology().held) {
    stage.move.col(held.particle) /= 2;
    stage.velocity.col(held.particle) /= 2;
  }
  stage.lagged = stage.start + stage.move;
  solve_stage(stages_, model, solution_, out.record);

  if (out.book) book_stage(model, solution_, h, *out.book);
  s.v = u + 2 / g * solution_.change;
  s.x += 2 * solution_.displacement();
  s.t = step.end;
  model.place_held(s.t, s.x, &s.v);
  apply_velocity_flows(model, s, g, FlowOrder::Backward, s.v, flow_book(model, s, g, out.book));
  history[0].setZero();
  model.add_forces(s, history[0], is_slow);
  out.record.force_evaluations = 1;
  kick(s, history[0], s.v);
  if (out.tape) out.tape->stages.push_back(std::move(solution_));
}

}  // namespace pithball::sim
