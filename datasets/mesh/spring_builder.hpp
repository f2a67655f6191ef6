#pragma once
#include <map>
#include <string>
#include <utility>

#include "datasets/mesh/mesh.hpp"

namespace pithball::datasets {

/// Collects springs, each pair of vertices once, and hands them to a mesh in sorted order with their groups. A pair
/// that is added twice stays in the group of its first mention.
class SpringBuilder {
 public:
  /// Tie vertices i ≠ j, in either order; an empty group name leaves the spring ungrouped.
  void add(Index i, Index j, const std::string& group);
  /// Edges of every polygon ("edge"), and of quadrilaterals both diagonals ("diagonal").
  void add_faces(const std::vector<std::vector<Index>>& faces);
  /// Replaces the mesh's springs and spring groups.
  void give_to(Mesh& mesh) const;

 private:
  std::map<std::pair<Index, Index>, std::string> group_of_;
};

}  // namespace pithball::datasets
