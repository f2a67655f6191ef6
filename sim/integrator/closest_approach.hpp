#pragma once
#include "sim/model/model.hpp"

namespace pithball::sim {

/// The shortest time in which any two charged particles cross the distance between them [s]:
///   min over pairs of  r_ij / |w_ij|  and  √(2 r_ij / |b_ij|),
/// r_ij their distance, w_ij and b_ij their relative velocity and acceleration M⁻¹f under the forces `f` [N]. Held
/// particles have their own velocity and no acceleration. Infinite for less than two charges, and where nothing moves;
/// NaN where something is not finite. Costs far less than a sum over all pairs: a sweep along the longest side of the
/// body looks at those pairs only that are near enough to matter.
double closest_approach(const Model& model, const State& state, const Points& force);

}  // namespace pithball::sim
