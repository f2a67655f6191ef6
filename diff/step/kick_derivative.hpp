#pragma once
#include <vector>

#include "diff/step/force_linearization.hpp"
#include "diff/step/stage_derivative.hpp"
#include "diff/step/step_derivative.hpp"
#include "sim/integrator/impulses.hpp"

namespace pithball::diff {

/// The kick g M⁻¹ F on free particles, 0 on held ones.
inline Points kick(const sim::Model& model, const Points& force, double g) {
  Points change = g * force * model.mass().cwiseInverse().asDiagonal();
  model.clear_held(change);
  return change;
}

/// Its changes along several directions: g M⁻¹ (δF − δM a), a = M⁻¹F, made of δF.
inline Panel kick_jvps(const sim::Model& model, const Points& acceleration, Panel dforce,
                       const sim::ValueDirections& dvalues, double g) {
  const Index first = model.values().block(sim::Model::mass_block).offset;
  for (Index i = 0; i < model.particles(); ++i) {
    const double by_force = g / model.mass()[i];
    const auto dm = dvalues.panel.col(first + i);
    for (int a = 0; a < 3; ++a)
      dforce.col(3 * i + a) = by_force * dforce.col(3 * i + a) - by_force * acceleration(a, i) * dm;
  }
  clear_held(model, dforce);
  return dforce;
}

/// Its transpose: for b = ∂L/∂(change of v) adds ∂L/∂F to gforce and the mass's share to gvalues.
inline void kick_vjp(const sim::Model& model, const Points& acceleration, const Points& b, Points& gforce,
                     Vector& gvalues, double g) {
  const Points w = kick(model, b, g);
  gforce += w;
  model.values().of(gvalues, sim::Model::mass_block) -= w.cwiseProduct(acceleration).colwise().sum().transpose();
}

/// Moves ∂L/∂F of a stored force F(x, t), a.history[0], into the rest of a, and clears it.
template <class Select>
void move_force_adjoint(const sim::Model& model, const sim::State& s, StateVariation& a, Select select,
                        DerivativeCost& cost) {
  add_force_vjp(model, s, a.history[0], a, select);
  ++cost.force_products;
  a.history[0].setZero();
  restrict_held(model, a.x, a.v);
}

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
