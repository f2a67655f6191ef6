#pragma once
#include <vector>

#include "sim/run/equilibrium.hpp"

namespace pithball::sim {

/// Static deflection of a body at equilibrium when some of its points are displaced and all others are free. `pulls`
/// are m force patterns g_k (3×N each), which measure the displacement g_k·u. Shape k is the u of least energy ½ uᵀK u
/// with g_j·u = δ_jk:
///    U = K⁻¹G (GᵀK⁻¹G)⁻¹,
/// so that Σ d_k u_k is the static deflection with the measured displacements d. If patterns are dependent, or measure
/// something immovable, the pseudo-inverse replaces the inverse. The equilibrium must exist and not be loose. Throws
/// InvalidArgument if K cannot be inverted.
std::vector<Points> least_energy_shapes(const Equilibrium& rest, const std::vector<Points>& pulls);

}  // namespace pithball::sim
