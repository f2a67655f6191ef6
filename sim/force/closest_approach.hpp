#pragma once
#include <optional>
#include <vector>

#include "sim/core/spring.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// The time in which two particles cross the gap r [m] between them: min(r/w, √(2r/b)), with their relative speed w
/// [m/s] and relative acceleration b [m/s²]; infinite if both are 0.
double crossing_time(double r, double w, double b);

/// The shortest time [s] in which any two of the particles `which` cross the gap between them: the minimum of
/// `crossing_time` over pairs. The gap is their distance minus their radii [m], if any, and 0 for overlapping spheres.
/// Gaps count as no narrower than `least` [m]. Held particles have their own velocity and zero acceleration in `a`
/// [m/s²]; pairs of held particles are skipped. Infinite for fewer than two. Much cheaper than a sum over all pairs: a
/// sweep along the longest side of the body visits only pairs that are close enough to matter.
double closest_approach(const Model&, const State&, const Points& a, std::vector<Index> which,
                        const Vector& radius = Vector(), double least = 0);

/// All particles, for `closest_approach`.
std::vector<Index> everyone(const Model&);

/// Two of the particles `which` at exactly the same position, the smaller number first; empty if there are none.
std::optional<Spring> find_coincident(const Points& x, const std::vector<Index>& which);

}  // namespace pithball::sim
