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

  /// d.v ← derivative of the chain's result along each direction.
  void jvp(const sim::Model& model, const sim::State& at, double h, sim::Directions& d) const {
    for (std::size_t k = 0; k < flows.size(); ++k)
      for (Index p = 0; p < d.count(); ++p) {
        const sim::Variation one = d.alone(p);
        Points dv = one.v;
        flows[k]->flow_velocity_jvp(model, {at.t, at.x, before[k]}, h, one, dv);
        for (const auto& held : model.topology().held) dv.col(held.particle) = one.v.col(held.particle);
        sim::set_points(d.v, p, dv);
      }
  }
  /// a.v ← ∂L/∂(velocity before the chain); adds ∂L/∂x and ∂L/∂values.
  void vjp(const sim::Model& model, const sim::State& at, double h, sim::Variation& a) const {
    for (std::size_t k = flows.size(); k-- > 0;) {
      Points moved = a.v;
      model.clear_held(moved);
      const Points passed = a.v - moved;  // of held particles
      a.v.setZero();
      flows[k]->flow_velocity_vjp(model, {at.t, at.x, before[k]}, h, moved, a);
      a.v += passed;
    }
  }
};

}  // namespace pithball::diff
