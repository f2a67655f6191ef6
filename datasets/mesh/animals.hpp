#pragma once
#include "datasets/mesh/implicit_surface.hpp"

namespace pithball::datasets {

/// A swimming toy duck facing +x, z up. Parts: body, neck, head, bill, tail, left_wing, right_wing.
ImplicitSurface duck_surface();

/// A sitting bunny facing +x, z up. Parts: body, head, left_ear, right_ear, tail, left_hind_leg, right_hind_leg,
/// left_foreleg, right_foreleg.
ImplicitSurface bunny_surface();

}  // namespace pithball::datasets
