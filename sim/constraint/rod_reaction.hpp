#pragma once
#include "sim/model/model.hpp"

namespace pithball::sim {

/// Removes from a change of velocities [m/s], 3×N, 0 for held particles, what the rigid rows of the constraints (C = 0
/// without compliance) do not permit at the positions x: Δv ← Δv − M⁻¹Gᵀ λ with G Δv = 0, the least change in kinetic
/// energy. So rods respond to impulses at once and do no work. The model has the values at the time of x.
void remove_motion_along_rods(const Model& model, const Points& x, Points& change);

}  // namespace pithball::sim
