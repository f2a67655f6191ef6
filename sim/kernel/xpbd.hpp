#pragma once
// The projection of one constraint row in a substep Δt (XPBD); pure functions, generic in the scalar type, no state.
// Notation: C(x) the row, λ its multiplier so far, w = ∇C M⁻¹ ∇Cᵀ, Ċ = ∇C·v with v = (x − x_prev)/Δt, α the compliance
// [m/N], β the damping [N s/m].

namespace pithball::sim::kernel {

/// Δλ = (−C − α̃ λ − γ ∇C·(x − x_prev)) / ((1 + γ) w + α̃),   α̃ = α/Δt²,   γ = α β/Δt.
/// At convergence λ/Δt² is the force −C/α − β Ċ. The denominator must not be 0. (Macklin, Müller, Chentanez 2016,
/// Eq. 26, where γ = α̃ β̃/Δt and β̃ = Δt² β.)
template <class T>
T multiplier_change(const T& C, const T& rate, const T& lambda, const T& w, const T& compliance, const T& damping,
                    double dt) {
  const T alpha = compliance / (dt * dt), gamma = compliance * damping / dt;
  return -(C + alpha * lambda + gamma * dt * rate) / ((T(1) + gamma) * w + alpha);
}

}  // namespace pithball::sim::kernel
