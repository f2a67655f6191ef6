#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/run/stiffness.hpp"

namespace pithball::sim {

/// A static equilibrium: F(x) = 0 on free particles at v = 0, and stable (no eigenvalue of K = −∂F/∂x is negative).
struct Equilibrium {
  std::string failure;  ///< why there is none, in a phrase; empty on success
  Points x;             ///< [m]
  int iterations = 0;   ///< Newton steps
  double residual = 0;  ///< largest remaining force on a particle, relative to the single forces on it
  std::shared_ptr<const Stiffness> stiffness;  ///< for derivatives
  StiffnessModes modes;                        ///< softest and loose modes at x

  bool found() const { return failure.empty(); }  ///< whether `x` is a stable equilibrium
  /// Whether the body can move freely along some direction at equilibrium: its position along it is then that of the
  /// initial guess.
  bool is_loose() const { return modes.loose.cols() > 0; }
};

/// Finds the equilibrium near the state's positions by Newton's method with line search on the potential energy; held
/// particles stay at their positions at the state's time. Products with ∂F/∂x are exact, including Coulomb forces. If
/// there is no equilibrium nearby, or only an unstable one, `failure` says so and names the motion. Throws
/// InvalidArgument if the forces have no potential (a rotational wind), or the model has constraints.
Equilibrium find_equilibrium(const Model& model, const State& near);

/// Static deflection of a body at equilibrium when some of its points are displaced and all others are free. `pulls`
/// are m force patterns g_k (3×N each), which measure the displacement g_k·u. Shape k is the u of least energy ½ uᵀK u
/// with g_j·u = δ_jk:
///    U = K⁻¹G (GᵀK⁻¹G)⁻¹,
/// so that Σ d_k u_k is the static deflection with the measured displacements d. If patterns are dependent, or measure
/// something immovable, the pseudo-inverse replaces the inverse. The equilibrium must exist and not be loose. Throws
/// InvalidArgument if K cannot be inverted.
std::vector<Points> least_energy_shapes(const Equilibrium& rest, const std::vector<Points>& pulls);

}  // namespace pithball::sim
