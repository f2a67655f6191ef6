#include "datasets/mesh/spring_builder.hpp"

#include <utility>

namespace pithball::datasets {

void SpringBuilder::add(Index i, Index j, const std::string& group) {
  if (i > j) std::swap(i, j);
  group_of_.try_emplace({i, j}, group);
}

void SpringBuilder::add_faces(const std::vector<std::vector<Index>>& faces) {
  for (const auto& face : faces)
    for (std::size_t k = 0; k < face.size(); ++k) add(face[k], face[(k + 1) % face.size()], "edge");
  // After all edges, so that a diagonal that is also an edge of a neighbor counts as an edge.
  for (const auto& face : faces)
    if (face.size() == 4) {
      add(face[0], face[2], "diagonal");
      add(face[1], face[3], "diagonal");
    }
}

void SpringBuilder::give_to(Mesh& mesh) const {
  mesh.springs.clear();
  mesh.spring_groups.clear();
  for (const auto& [pair, group] : group_of_) {
    if (!group.empty()) mesh.spring_groups[group].push_back(mesh.springs.size());
    mesh.springs.push_back({pair.first, pair.second});
  }
}

}  // namespace pithball::datasets
