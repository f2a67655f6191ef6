#pragma once
#include <vector>

#include "optim/fit/further_starts.hpp"

namespace pithball::optim {

/// Starts of further searches in which depth is reversed, one for each set of recordings whose starts and poses depend
/// on common parameters, if cameras alone show the motion and every free particle starts where the fit finds it. An
/// image nearly stays the same if what is seen is reflected about a plane across the view,
///    x' = Q x,   Q x = x − 2 n nᵀ (x − c),   v' = v − 2 n nᵀ v:
/// with weak perspective the reversed motion fits, too, as far as forces are the same there (Necker 1832; Belhumeur,
/// Kriegman & Yuille 1999, doi:10.1023/A:1008154927611).
/// - The pose is held: n is the direction of sight, and one camera alone sees the motion.
/// - Rotation and translation of every pose are free: n is the direction across gravity, uniform fields and
///   the extent of held particles, so that these are unchanged, and among such directions the nearest to that of
///   sight. The poses become R' = Q R M, with M the reflection of depth in the camera's own axes, which keeps the
///   image.
/// c is the middle of the held particles or, where there are none, of the body.
std::vector<FurtherStart> find_depth_reversals(const ResolvedFit& fit, const Vector& theta);

/// Compares |r|² at these starts, one run each, and searches from the best one. `past`: as `FitOptimum::reversed`,
/// which are left out.
FurtherSearch search_reversed(const FurtherBasis& basis, const std::vector<Index>& past, const MinimizerWatch& watch);

}  // namespace pithball::optim
