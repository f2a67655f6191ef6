#include "sim/integrator/imex_midpoint.hpp"

#include "sim/core/parallel_parts.hpp"
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
  const Index n = model.particles();
  inverse_mass_ = model.mass().cwiseInverse();
  for (const Held& held : model.topology().held) inverse_mass_[held.particle] = 0;
  // `at`: where the force was summed.
  const auto kick = [&](const State& at, const Points& force, Points& v) {
    ImpulseWork work(out.book, model, v);
    particle_parts(n, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        if (inverse_mass_[i] > 0) v.col(i) += g * force.col(i) * inverse_mass_[i];
    });
    if (work.felt()) {
      Points again = Points::Zero(3, n);  // the force is their sum with all others
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
  for (Points* points : {&stage.start, &stage.move, &stage.velocity, &stage.lagged}) points->resize(3, n);
  particle_parts(n, [&](Index begin, Index end) {
    const auto part = [=](auto& points) { return points.middleCols(begin, end - begin); };
    part(stage.start) = part(s.x);
    part(stage.move) = g * part(u);
    part(stage.velocity) = part(u);
    part(stage.lagged) = part(s.x) + part(stage.move);
  });
  stage.force.setZero(3, n);
  // Held particles sit half-way between the step's ends, not at the path's own midpoint: only so is the stage's
  // velocity their mean over the step, which a damper to a driven particle needs for second order.
  place_held(model, step.end, stage.force, stage);  // none has passed: 0
  for (const Held& held : model.topology().held) {
    stage.move.col(held.particle) /= 2;
    stage.velocity.col(held.particle) /= 2;
    stage.lagged.col(held.particle) = stage.start.col(held.particle) + stage.move.col(held.particle);
  }
  solve_stage(stages_, model, solution_, out.record);

  if (out.book) book_stage(model, solution_, h, *out.book);
  particle_parts(n, [&](Index begin, Index end) {
    const auto part = [=](auto& points) { return points.middleCols(begin, end - begin); };
    part(s.v) = part(u) + 2 / g * part(solution_.change);
    part(s.x) += 2 * (part(stage.move) + part(solution_.change));
  });
  s.t = step.end;
  model.place_held(s.t, s.x, &s.v);
  apply_velocity_flows(model, s, g, FlowOrder::Backward, s.v, flow_book(model, s, g, out.book));
  history[0].setZero();
  model.add_forces(s, history[0], is_slow);
  out.record.work.force_evaluations = 1;
  kick(s, history[0], s.v);
  if (out.tape) out.tape->stages.push_back(std::move(solution_));
}

}  // namespace pithball::sim
