#pragma once
#include <map>
#include <string>
#include <utility>

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

}  // namespace pithball::datasets
