#include "datasets/mesh/mesh_springs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "sim/core/error.hpp"

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

std::vector<Hinge> find_hinges(const std::vector<std::vector<Index>>& faces) {
  struct Sides {
    Index faces = 0;
    std::vector<Index> opposite;
  };
  std::map<std::pair<Index, Index>, Sides> edges;
  for (const auto& face : faces)
    for (std::size_t k = 0; k < face.size(); ++k) {
      Sides& sides = edges[std::minmax(face[k], face[(k + 1) % face.size()])];
      ++sides.faces;
      if (face.size() == 3) sides.opposite.push_back(face[(k + 2) % 3]);
    }
  std::vector<Hinge> hinges;
  for (const auto& [edge, sides] : edges)
    if (sides.faces == 2 && sides.opposite.size() == 2 && sides.opposite[0] != sides.opposite[1])
      hinges.push_back({edge.first, edge.second, std::min(sides.opposite[0], sides.opposite[1]),
                        std::max(sides.opposite[0], sides.opposite[1])});
  return hinges;
}

double unfolded_length(double ab, double ap, double bp, double aq, double bq) {
  // In the plane with a at 0 and b at (|ab|, 0): p at (s, h), q at (t, −k).
  const double s = (ap * ap - bp * bp + ab * ab) / (2 * ab), t = (aq * aq - bq * bq + ab * ab) / (2 * ab);
  const double h = std::sqrt(std::max(0.0, ap * ap - s * s)), k = std::sqrt(std::max(0.0, aq * aq - t * t));
  return std::hypot(s - t, h + k);
}

Mesh with_bend_springs(Mesh mesh) {
  const std::vector<Hinge> hinges = find_hinges(mesh.faces);
  if (hinges.empty())
    throw InvalidArgument(
        {"", "bend", "needs triangles that meet at edges", "none", "leave `bend` out, or triangulate the mesh"});
  SpringBuilder springs;
  for (const auto& [name, members] : mesh.spring_groups)
    for (const Index s : members) {
      const auto& [i, j] = mesh.springs[s];
      springs.add(i, j, name);
    }
  for (const auto& [i, j] : mesh.springs) springs.add(i, j, "");
  for (const Hinge& hinge : hinges) springs.add(hinge.p, hinge.q, "bend");
  springs.give_to(mesh);
  mesh.pattern_lengths.resize(0);
  return mesh;
}

}  // namespace pithball::datasets
