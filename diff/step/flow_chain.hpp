#pragma once
#include <vector>

#include "diff/step/step_derivative.hpp"
#include "sim/integrator/velocity_flows.hpp"

namespace pithball::diff {

/// The derivative of `sim::apply_velocity_flows`: the flows in the order in which they act, with the velocity before
/// each of them. Velocities of held particles pass through unchanged.
struct FlowChain {
  std::vector<const sim::VelocityFlow*> flows;  ///< in the order in which they act; they belong to the model
  std::vector<Points> before;                   ///< one for each flow: velocities just before it acts [m/s], 3×N
  Points result;                                ///< velocities after all flows [m/s], 3×N

  /// Applies the chosen flows over h [s] to the velocities of `at`.
  FlowChain(const sim::Model& model, const sim::State& at, double h, const sim::FlowChoice& choice) : result(at.v) {
    sim::apply_velocity_flows(model, at, h, choice, result,
                              [this](const sim::ForceTerm& term, const Points& v, const Points&) {
                                flows.push_back(term.as<sim::VelocityFlow>());
                                before.push_back(v);
                              });
  }

  /// dv ← derivative of the chain's result.
  void jvp(const sim::Model& model, const sim::State& at, double h, const Points& dx, const Vector& dvalues,
           Points& dv) const {
    for (std::size_t k = 0; k < flows.size(); ++k) {
      const sim::Variation d{dx, dv, dvalues};
      flows[k]->flow_velocity_jvp(model, {at.t, at.x, before[k]}, h, d, dv);
      for (const auto& held : model.topology().held) dv.col(held.particle) = d.v.col(held.particle);
    }
  }
  /// a ← ∂L/∂(velocity before the chain); adds ∂L/∂x and ∂L/∂values.
  void vjp(const sim::Model& model, const sim::State& at, double h, Points& a, Points& gx, Vector& gvalues) const {
    if (flows.empty()) return;
    sim::Variation g{std::move(gx), {}, std::move(gvalues)};
    for (std::size_t k = flows.size(); k-- > 0;) {
      Points moved = a;
      model.clear_held(moved);
      const Points passed = a - moved;  // of held particles
      g.v = Points::Zero(3, a.cols());
      flows[k]->flow_velocity_vjp(model, {at.t, at.x, before[k]}, h, moved, g);
      a = g.v + passed;
    }
    gx = std::move(g.x);
    gvalues = std::move(g.values);
  }
};

}  // namespace pithball::diff
