#include "diff/step/symplectic_euler_derivative.hpp"

#include "diff/step/kick_derivative.hpp"

namespace pithball::diff {
namespace {

/// a = M⁻¹F of the step, from its velocities, so that no force is summed again.
Points acceleration(const sim::Model& model, const sim::StepTape& tape) {
  Points a = (tape.after.v - tape.before.v) / tape.h;
  model.clear_held(a);
  return a;
}

}  // namespace

void SymplecticEulerDerivative::tangent(const sim::Model& model, const sim::StepTape& tape,
                                        std::vector<StateDirections>& groups, DerivativeCost& cost) const {
  const Points a = acceleration(model, tape);
  for (StateDirections& d : groups) {
    Panel dforce = Panel::Zero(d.x.rows(), d.x.cols());
    add_force_jvps(model, tape.before, d, dforce, every_term);
    cost.force_products += d.count();
    d.v += kick_jvps(model, a, std::move(dforce), *d.values, tape.h);
    restrict_held(model, d.x, d.v);
    d.x += tape.h * d.v;
  }
}

void SymplecticEulerDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape,
                                        std::vector<StateVariation>& all, DerivativeCost& cost) const {
  const Points a = acceleration(model, tape);
  for (StateVariation& g : all) {
    g.v += tape.h * g.x;
    restrict_held(model, g.x, g.v);
    Points gforce = Points::Zero(3, a.cols());
    kick_vjp(model, a, g.v, gforce, g.values, tape.h);
    add_force_vjp(model, tape.before, gforce, g, every_term);
    ++cost.force_products;
  }
}

}  // namespace pithball::diff
