#include "diff/step/runge_kutta_derivative.hpp"

#include "diff/step/kick_derivative.hpp"

namespace pithball::diff {

void RungeKuttaDerivative::carry(const sim::Model& model, const std::vector<sim::RungeKuttaStage>& stages, double h,
                                 const Retiming& by, sim::Directions& d) const {
  const bool retimed = by.later != 0 || by.longer != 0;
  const Panel x = d.x, v = d.v;
  std::vector<Panel> dV, dA;
  const auto add_to_all = [](Panel& panel, double factor, const Points& points) {
    for (Index p = 0; p < panel.rows(); ++p) sim::add_points(panel, p, factor * points);
  };
  const auto advance = [&](const std::vector<double>& weights) {
    d.x = x;
    d.v = v;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      d.x += h * weights[j] * dV[j];
      d.v += h * weights[j] * dA[j];
      if (!retimed) continue;
      add_to_all(d.x, by.longer * weights[j], stages[j].state.v);
      add_to_all(d.v, by.longer * weights[j], stages[j].acceleration);
    }
    restrict_held(model, d.x, d.v);
  };
  for (std::size_t i = 0; i < stages.size(); ++i) {
    Panel dforce = Panel::Zero(x.rows(), x.cols());
    advance(tableau_.a[i]);
    add_force_jvps(model, stages[i].state, d, dforce, every_term);
    if (retimed)
      add_to_all(dforce, by.later + tableau_.node(i) * by.longer, force_rate(model, stages[i].state, by.probe));
    dA.push_back(kick_jvps(model, stages[i].acceleration, std::move(dforce), *d.values, 1));
    dV.push_back(d.v);
  }
  advance(tableau_.b);
}

void RungeKuttaDerivative::tangent(const sim::Model& model, const sim::StepTape& tape,
                                   std::vector<StateDirections>& groups, DerivativeCost& cost) const {
  const auto stages = sim::runge_kutta_stages(tableau_, model, tape.h, tape.before);
  cost.force_products += static_cast<long>(stages.size());
  for (StateDirections& d : groups) {
    carry(model, stages, tape.h, {0, 0, 0}, d);
    cost.force_products += static_cast<long>(stages.size()) * d.count();
  }
}

sim::Variation RungeKuttaDerivative::drift(const sim::Model& model, const sim::StepTape& tape,
                                           const Retiming& by) const {
  auto d = sim::Directions::only(sim::Variation::zero(model.particles(), model.values().size()));
  carry(model, sim::runge_kutta_stages(tableau_, model, tape.h, tape.before), tape.h, by, d);
  return d.alone(0);
}

void RungeKuttaDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape, std::vector<StateVariation>& all,
                                   DerivativeCost& cost) const {
  const auto stages = sim::runge_kutta_stages(tableau_, model, tape.h, tape.before);
  cost.force_products += stages.size();
  const Points none = Points::Zero(3, model.particles());
  for (StateVariation& a : all) {
    std::vector<Points> gV(stages.size(), none), gA = gV;
    // The transpose of `advance`: gradients with respect to (x, v) also propagate to the slopes.
    const auto spread = [&](const std::vector<double>& weights, Points& gx, Points& gv) {
      restrict_held(model, gx, gv);
      for (std::size_t j = 0; j < weights.size(); ++j) {
        gV[j] += tape.h * weights[j] * gx;
        gA[j] += tape.h * weights[j] * gv;
      }
    };
    spread(tableau_.b, a.x, a.v);
    for (std::size_t i = stages.size(); i-- > 0;) {
      Points gforce = none;
      kick_vjp(model, stages[i].acceleration, gA[i], gforce, a.values, 1);
      sim::Variation g{none, std::move(gV[i]), std::move(a.values)};
      add_force_vjp(model, stages[i].state, gforce, g, every_term);
      ++cost.force_products;
      a.values = std::move(g.values);
      spread(tableau_.a[i], g.x, g.v);
      a.x += g.x;
      a.v += g.v;
    }
    restrict_held(model, a.x, a.v);
  }
}

}  // namespace pithball::diff
