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
                                        std::vector<StateVariation>& d, const Eigen::MatrixXd& dvalues,
                                        DerivativeCost& cost) const {
  const Points a = acceleration(model, tape);
  for (std::size_t p = 0; p < d.size(); ++p) {
    const Vector dtheta = dvalues.col(p);
    Points dforce = Points::Zero(3, a.cols());
    add_force_jvp(model, tape.before, {d[p].x, d[p].v, dtheta}, dforce, every_term);
    ++cost.force_products;
    d[p].v += kick_jvp(model, a, dforce, dtheta, tape.h);
    restrict_held(model, d[p].x, d[p].v);
    d[p].x += tape.h * d[p].v;
  }
}

void SymplecticEulerDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape, StateVariation& a,
                                        Vector& gvalues, DerivativeCost& cost) const {
  a.v += tape.h * a.x;
  restrict_held(model, a.x, a.v);
  Points gforce = Points::Zero(3, a.x.cols());
  kick_vjp(model, acceleration(model, tape), a.v, gforce, gvalues, tape.h);
  sim::Variation g{std::move(a.x), std::move(a.v), std::move(gvalues)};
  add_force_vjp(model, tape.before, gforce, g, every_term);
  ++cost.force_products;
  a.x = std::move(g.x);
  a.v = std::move(g.v);
  gvalues = std::move(g.values);
}

}  // namespace pithball::diff
