#pragma once
#include <vector>

#include "sim/model/model.hpp"

namespace pithball::sim {

/// In which time two things cross the gap r [m] between them: min(r/w, √(2r/b)), w their relative speed [m/s] and b
/// their relative acceleration [m/s²]; infinite where neither moves them.
double crossing_time(double r, double w, double b);

/// The shortest time [s] in which any two of the particles `which` cross the gap between them: the least
/// `crossing_time` over pairs. The gap is their distance less their radii [m], if there are any, and 0 where spheres
/// overlap. Held particles have their own velocity and the acceleration 0 [m/s²] in `a`; two of them are no pair.
/// Infinite for fewer than two. Costs far less than a sum over all pairs: a sweep along the longest side of the body
/// looks at those pairs only that are near enough to matter.
double closest_approach(const Model&, const State&, const Points& a, std::vector<Index> which,
                        const Vector& radius = Vector());

}  // namespace pithball::sim
