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

}  // namespace pithball::diff
