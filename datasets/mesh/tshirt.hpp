#pragma once
#include "datasets/mesh/mesh_division.hpp"

namespace pithball::datasets {

/// A T-shirt sewn from a planar pattern, upright: x across, z up, the front facing −y; its bounding box centered at the
/// origin.
///
/// Front and back are cut alike but for the neck, which is deeper in front. CGAL triangulates the back, with the
/// front's neckline as an inner line; the front is the part below that line. Both therefore meet the seams (shoulders
/// with the tops of the sleeves; sides with their undersides) in the same vertices, which they share. The panels are
/// then moved apart to y = ∓ depth tanh(d / (3 depth)) at the distance d from the nearest seam in the pattern: a slope
/// of at most 1/3, which stretches the drawn edges by at most 5.5 %.
///
/// `pattern_lengths` are those of the flat pattern. Spring groups: "edge"; "bend" between the two corners that face
/// each other across an edge of two triangles (in the pattern: both triangles unfolded into a plane, also across a
/// seam). Vertex groups: "neck", "hem", "left_sleeve_end", "right_sleeve_end" (left: smaller x), "shoulders" (their
/// seams, without the sleeves), "seams" (all of them), "front" and "back" (without the seams). Faces point outwards.
struct TshirtShape {
  Division division{.size = 0.86, .vertices = 600};  ///< size: from sleeve end to sleeve end
  double depth = 0.06;                               ///< maximum bulge of a panel [m], > 0
  bool bend = true;                                  ///< add bend springs
};

/// Throws InvalidArgument where `divided` does, and on a depth that is not finite and > 0.
Mesh make_tshirt(const TshirtShape& shape);

}  // namespace pithball::datasets
