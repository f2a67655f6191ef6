#include "sim/integrator/velocity_verlet.hpp"

#include "sim/integrator/impulses.hpp"

namespace pithball::sim {

const IntegratorInfo VelocityVerlet::integrator{
    .name = "velocity_verlet",
    .summary =
        "all forces explicit, second order, symplectic without drag: the standard method, stable only below 2/ω_max",
    .position_order = 2,
    .velocity_order = 2,
    .force_evaluations = 1,
    .time_reversible = true,
    .symplectic = true,
    .history = {"force"}};

History VelocityVerlet::do_start(const Model& model, const State& s) {
  Points force = Points::Zero(3, model.particles());
  model.add_forces(s, force, is_positional);
  return {std::move(force)};
}

History VelocityVerlet::do_extend(const Model& model, const State& s, const History& earlier) {
  return {extended_force(model, s, earlier[0], is_positional)};
}

void VelocityVerlet::do_step(const Model& model, const TimeStep& step, State& s, History& history, StepOutput& out) {
  const double h = step.h;
  const auto inverse_mass = model.mass().cwiseInverse().eval();
  ImpulseWork work(out.book, model, s.v);
  const auto acceleration = [&](const Points& positional, const State& at) {
    Points force = positional;
    add_forces(model, at, force, is_velocity_dependent, work.impulses(), h / 2);
    if (work.impulses()) {
      Points again = Points::Zero(3, model.particles());  // separate, as the history contains the sum of all forces
      work.impulses()->add_forces(model, at, again, h / 2,
                                  [](const ForceTerm& term) { return is_positional(term) && Impulses::books(term); });
      work.impulses()->add_reactions(model, h / 2, force);
    }
    model.clear_held(force);
    return Points(force * inverse_mass.asDiagonal());
  };
  const Points a = acceleration(history[0], s);
  s.x += h * s.v + h * h / 2 * a;
  s.t = step.end;
  Points predicted = s.v + h * a;
  model.place_held(s.t, s.x, &predicted);
  history = do_start(model, s);
  out.record.work.force_evaluations = 1;
  s.v += h / 2 * (a + acceleration(history[0], {s.t, s.x, std::move(predicted)}));
  model.place_held(s.t, s.x, &s.v);
  work.close(s.v);
}

}  // namespace pithball::sim
