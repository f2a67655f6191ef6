#include "diff/step/leapfrog_derivative.hpp"

#include "diff/step/kick_derivative.hpp"

namespace pithball::diff {
namespace {

/// Intermediate results of the step, recomputed from the tape without evaluating forces.
struct LeapfrogKick {
  bool first;      // the half kick of the first step
  double kick;     // h, or h/2 in the first step
  sim::State now;  // where the force acts: v at the time of x
  Points acceleration;
  LeapfrogKick(const sim::Model& model, const sim::StepTape& tape)
      : first(tape.history_before.empty()),
        kick(first ? tape.h / 2 : tape.h),
        now(tape.before),
        acceleration((tape.after.v - tape.before.v) / kick) {
    if (!first) now.v += tape.h / 2 * tape.history_before[0];
    model.place_held(now.t, now.x, &now.v);
    model.clear_held(acceleration);
  }
};

}  // namespace

void LeapfrogDerivative::tangent(const sim::Model& model, const sim::StepTape& tape,
                                 std::vector<StateDirections>& groups, DerivativeCost& cost) const {
  const LeapfrogKick mid(model, tape);
  for (StateDirections& d : groups) {
    const Panel v = d.v;
    Panel dforce = Panel::Zero(d.x.rows(), d.x.cols());
    if (!mid.first) d.v += tape.h / 2 * d.history[0];
    clear_held(model, d.v);
    add_force_jvps(model, mid.now, d, dforce, every_term);
    cost.force_products += d.count();
    Panel da = kick_jvps(model, mid.acceleration, std::move(dforce), *d.values, 1);
    d.v = v + mid.kick * da;
    restrict_held(model, d.x, d.v);
    d.x += tape.h * d.v;
    d.history = {std::move(da)};
  }
}

void LeapfrogDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape, std::vector<StateVariation>& all,
                                 DerivativeCost& cost) const {
  const LeapfrogKick mid(model, tape);
  for (StateVariation& a : all) {
    restrict_held(model, a.x, a.v);
    a.v += tape.h * a.x;
    restrict_held(model, a.x, a.v);
    const Points passed = a.v;
    Points ga = mid.kick * a.v, gforce = Points::Zero(3, a.x.cols());
    if (!a.history.empty()) ga += a.history[0];  // the last step has no successor
    kick_vjp(model, mid.acceleration, ga, gforce, a.values, 1);
    a.v.setZero();
    add_force_vjp(model, mid.now, gforce, a, every_term);
    ++cost.force_products;
    model.clear_held(a.v);
    a.history.clear();
    if (!mid.first) a.history.push_back(tape.h / 2 * a.v);
    a.v += passed;
    restrict_held(model, a.x, a.v);
  }
}

}  // namespace pithball::diff
