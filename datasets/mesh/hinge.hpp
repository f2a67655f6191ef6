#pragma once
#include <vector>

#include "datasets/mesh/mesh.hpp"

namespace pithball::datasets {

/// An edge between two triangles, about which a cloth bends.
struct Hinge {
  Index a,  ///< one end of the edge
      b;    ///< the other end, a < b
  Index p,  ///< the vertex that faces the edge in one triangle
      q;    ///< in the other triangle, p < q
};

/// The hinges of a mesh: its edges with exactly two faces, both triangles; sorted by (a, b).
std::vector<Hinge> find_hinges(const std::vector<std::vector<Index>>& faces);

/// Distance of p and q [m] when both triangles lie in one plane, on opposite sides of the edge, from the five lengths
/// |ab|, |ap|, |bp|, |aq|, |bq| [m] of valid triangles.
double unfolded_length(double ab, double ap, double bp, double aq, double bq);

/// The mesh with a spring between p and q of every hinge (group "bend") that has none yet; `pattern_lengths` are
/// dropped. Throws InvalidArgument if no two triangles share an edge.
Mesh with_bend_springs(Mesh mesh);

}  // namespace pithball::datasets
