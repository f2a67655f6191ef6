#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "datasets/mesh/mesh.hpp"

namespace pithball::datasets {

/// Collects springs, each pair of vertices once, and stores them in a mesh in sorted order with their groups. A pair
/// added again stays in the group of its first addition.
class SpringBuilder {
 public:
  /// Adds a spring between vertices i ≠ j, in either order; an empty group name leaves it ungrouped.
  void add(Index i, Index j, const std::string& group);
  /// Adds the edges of every polygon ("edge"), and both diagonals of quadrilaterals ("diagonal").
  void add_faces(const std::vector<std::vector<Index>>& faces);
  /// Replaces the mesh's springs and spring groups.
  void give_to(Mesh& mesh) const;

 private:
  std::map<std::pair<Index, Index>, std::string> group_of_;
};

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
