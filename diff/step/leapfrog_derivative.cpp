#include "diff/step/leapfrog_derivative.hpp"

#include "diff/step/kick_derivative.hpp"

namespace pithball::diff {
namespace {

/// What the step computed on its way, recomputed from the tape: no force is summed again.
struct LeapfrogKick {
  bool first;      // the start's half kick
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

void LeapfrogDerivative::tangent(const sim::Model& model, const sim::StepTape& tape, std::vector<StateVariation>& d,
                                 const Eigen::MatrixXd& dvalues, DerivativeCost& cost) const {
  const LeapfrogKick mid(model, tape);
  for (std::size_t p = 0; p < d.size(); ++p) {
    auto& [dx, dv, dhistory] = d[p];
    const Vector dtheta = dvalues.col(p);
    Points dv_now = dv, dforce = Points::Zero(3, dx.cols());
    if (!mid.first) dv_now += tape.h / 2 * dhistory[0];
    model.clear_held(dv_now);
    add_force_jvp(model, mid.now, {dx, dv_now, dtheta}, dforce, every_term);
    ++cost.force_products;
    Points da = kick_jvp(model, mid.acceleration, dforce, dtheta, 1);
    dv += mid.kick * da;
    restrict_held(model, dx, dv);
    dx += tape.h * dv;
    dhistory = {std::move(da)};
  }
}

void LeapfrogDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape, StateVariation& a, Vector& gvalues,
                                 DerivativeCost& cost) const {
  const LeapfrogKick mid(model, tape);
  const Index n = a.x.cols();
  restrict_held(model, a.x, a.v);
  a.v += tape.h * a.x;
  restrict_held(model, a.x, a.v);
  Points ga = mid.kick * a.v, gforce = Points::Zero(3, n);
  if (!a.history.empty()) ga += a.history[0];  // nothing follows the last step
  kick_vjp(model, mid.acceleration, ga, gforce, gvalues, 1);
  sim::Variation g{std::move(a.x), Points::Zero(3, n), std::move(gvalues)};
  add_force_vjp(model, mid.now, gforce, g, every_term);
  ++cost.force_products;
  model.clear_held(g.v);
  a.x = std::move(g.x);
  a.v += g.v;
  gvalues = std::move(g.values);
  a.history.clear();
  if (!mid.first) a.history.push_back(tape.h / 2 * g.v);
  restrict_held(model, a.x, a.v);
}

}  // namespace pithball::diff
