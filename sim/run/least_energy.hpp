#pragma once
#include <vector>

#include "sim/run/equilibrium.hpp"

namespace pithball::sim {

/// How a body at rest deflects where some of its points are moved and all others are free. `pulls` are m patterns of
/// forces g_k (3×N each); the displacement that they measure is g_k·u. Shape k is the u of least energy ½ uᵀK u with
/// g_j·u = δ_jk:
///    U = K⁻¹G (GᵀK⁻¹G)⁻¹,
/// so that Σ d_k u_k is the static deflection that takes the measured points to displacements d. Where patterns measure
/// the same thing, or nothing that can move, the pseudo-inverse takes the place of the inverse. The equilibrium must be
/// found and not loose. Throws InvalidArgument if K cannot be solved with.
std::vector<Points> least_energy_shapes(const Equilibrium& rest, const std::vector<Points>& pulls);

}  // namespace pithball::sim
