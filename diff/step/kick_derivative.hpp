#pragma once
#include "diff/step/force_linearization.hpp"
#include "diff/step/stage_derivative.hpp"
#include "diff/step/step_derivative.hpp"

namespace pithball::diff {

/// The kick g M⁻¹ F on free particles, 0 on held ones.
inline Points kick(const sim::Model& model, const Points& force, double g) {
  Points change = g * force * model.mass().cwiseInverse().asDiagonal();
  model.clear_held(change);
  return change;
}

/// Its change: g M⁻¹ (δF − δM a), a = M⁻¹F.
inline Points kick_jvp(const sim::Model& model, const Points& acceleration, const Points& dforce, const Vector& dvalues,
                       double g) {
  const auto dm = model.values().of(dvalues, sim::Model::mass_block);
  return kick(model, dforce - acceleration * dm.asDiagonal(), g);
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

}  // namespace pithball::diff
