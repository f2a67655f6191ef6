#include "diff/step/runge_kutta_derivative.hpp"

#include "diff/step/kick_derivative.hpp"

namespace pithball::diff {
void RungeKuttaDerivative::tangent(const sim::Model& model, const sim::StepTape& tape, std::vector<StateVariation>& d,
                                   const Eigen::MatrixXd& dvalues, DerivativeCost& cost) const {
  const auto stages = sim::runge_kutta_stages(tableau_, model, tape.h, tape.before);
  cost.force_products += stages.size();
  for (std::size_t p = 0; p < d.size(); ++p) {
    const Vector dtheta = dvalues.col(p);
    std::vector<Points> dV, dA;
    const auto advance = [&](const std::vector<double>& weights, Points& x, Points& v) {
      for (std::size_t j = 0; j < weights.size(); ++j) {
        x += tape.h * weights[j] * dV[j];
        v += tape.h * weights[j] * dA[j];
      }
      restrict_held(model, x, v);
    };
    for (std::size_t i = 0; i < stages.size(); ++i) {
      Points dx = d[p].x, dv = d[p].v, dforce = Points::Zero(3, dx.cols());
      advance(tableau_.a[i], dx, dv);
      add_force_jvp(model, stages[i].state, {dx, dv, dtheta}, dforce, every_term);
      ++cost.force_products;
      dA.push_back(kick_jvp(model, stages[i].acceleration, dforce, dtheta, 1));
      dV.push_back(std::move(dv));
    }
    advance(tableau_.b, d[p].x, d[p].v);
  }
}

void RungeKuttaDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape, StateVariation& a,
                                   Vector& gvalues, DerivativeCost& cost) const {
  const auto stages = sim::runge_kutta_stages(tableau_, model, tape.h, tape.before);
  const Index n = a.x.cols();
  std::vector<Points> gV(stages.size(), Points::Zero(3, n)), gA = gV;
  // The transpose of `advance`: what arrives at (x, v) arrives at the slopes as well.
  const auto spread = [&](const std::vector<double>& weights, Points& gx, Points& gv) {
    restrict_held(model, gx, gv);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      gV[j] += tape.h * weights[j] * gx;
      gA[j] += tape.h * weights[j] * gv;
    }
  };
  spread(tableau_.b, a.x, a.v);
  for (std::size_t i = stages.size(); i-- > 0;) {
    Points gforce = Points::Zero(3, n);
    kick_vjp(model, stages[i].acceleration, gA[i], gforce, gvalues, 1);
    sim::Variation g{Points::Zero(3, n), std::move(gV[i]), std::move(gvalues)};
    add_force_vjp(model, stages[i].state, gforce, g, every_term);
    cost.force_products += 2;  // the sum that was made again, and this
    gvalues = std::move(g.values);
    spread(tableau_.a[i], g.x, g.v);
    a.x += g.x;
    a.v += g.v;
  }
  restrict_held(model, a.x, a.v);
}

}  // namespace pithball::diff
