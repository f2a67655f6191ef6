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

void ImexMidpoint::do_step(const Model& model, double h, State& s, History& history, StepOutput& out) {
  const double g = h / 2;
  const auto inverse_mass = model.mass().cwiseInverse().eval();
  // `at`: where the force was summed.
  const auto kick = [&](const State& at, const Points& force, Points& v) {
    Points change = g * force * inverse_mass.asDiagonal();
    model.clear_held(change);
    ImpulseWork work(out.book, model, v);
    v += change;
    if (work.felt()) {
      Points again = Points::Zero(3, model.particles());  // the force is their sum with all others
      work.felt()->add_forces(model, at, again, g,
                              [](const ForceTerm& term) { return is_slow(term) && Impulses::books(term); });
      work.felt()->bear(model, g, force);
    }
    work.close(v);
  };

  Points u = s.v;
  kick(s, history[0], u);
  apply_velocity_flows(model, s, g, FlowOrder::Forward, u, flow_book(model, s, g, out.book));

  const Points none = Points::Zero(3, model.particles());
  StageProblem stage{.g = g, .t = s.t + g, .start = s.x, .move = g * u, .velocity = u, .lagged = {}, .force = none};
  // Held particles sit half-way between the step's ends, not at the path's own midpoint: only so is the stage's
  // velocity their mean over the step, which a damper to a driven particle needs for second order.
  place_held(model, s.t + h, none, stage);
  for (const Held& held : model.topology().held) {
    stage.move.col(held.particle) /= 2;
    stage.velocity.col(held.particle) /= 2;
  }
  stage.lagged = stage.place(none);
  StageSolution solution;
  solve_stage(stages_, model, stage, solution, out.record);

  if (out.book) book_stage(model, solution, h, *out.book);
  s.v = u + 2 / g * solution.change;
  s.x += 2 * solution.displacement();
  s.t += h;
  model.place_held(s.t, s.x, &s.v);
  apply_velocity_flows(model, s, g, FlowOrder::Backward, s.v, flow_book(model, s, g, out.book));
  history = do_start(model, s);
  out.record.force_evaluations = 1;
  kick(s, history[0], s.v);
  if (out.tape) out.tape->stages.push_back(std::move(solution));
}

}  // namespace pithball::sim
