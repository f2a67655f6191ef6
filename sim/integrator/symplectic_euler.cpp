#include "sim/integrator/symplectic_euler.hpp"

#include "sim/integrator/impulses.hpp"

namespace pithball::sim {

const IntegratorInfo SymplecticEuler::integrator{.name = "symplectic_euler",
                                                 .summary = "all forces explicit, first order, one force evaluation",
                                                 .position_order = 1,
                                                 .velocity_order = 1,
                                                 .force_evaluations = 1,
                                                 .symplectic = true};

void SymplecticEuler::do_step(const Model& model, const TimeStep& step, State& s, History&, StepOutput& out) {
  const double h = step.h;
  ImpulseWork work(out.book, model, s.v);
  s.v += h * acceleration(model, s, work.impulses(), h);
  s.x += h * s.v;
  s.t = step.end;
  model.place_held(s.t, s.x, &s.v);  // pinned and driven particles
  work.close(s.v);
  out.record.work.force_evaluations = 1;
}

}  // namespace pithball::sim
