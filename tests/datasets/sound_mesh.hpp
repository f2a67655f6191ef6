#pragma once
// What is true of good meshes, to be checked wherever meshes are made.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "datasets/mesh/mesh.hpp"
#include "tests/support/catch.hpp"

namespace pithball::testing {

using datasets::Index;
using datasets::Mesh;
using datasets::Vec3;

/// What every mesh must satisfy, whoever made it.
inline void check_sound(const Mesh& mesh) {
  const Index n = mesh.vertices.cols();
  REQUIRE(mesh.vertices.allFinite());
  std::pair<Index, Index> last{-1, -1};
  for (const auto& spring : mesh.springs) {
    REQUIRE(0 <= spring.i);
    REQUIRE(spring.i < spring.j);
    REQUIRE(spring.j < n);
    const std::pair<Index, Index> now{spring.i, spring.j};
    REQUIRE(last < now);  // sorted and therefore unique
    last = now;
  }
  std::set<Index> grouped;
  for (const auto& [name, members] : mesh.spring_groups)
    for (const Index s : members) {
      REQUIRE(s < static_cast<Index>(mesh.springs.size()));
      REQUIRE(grouped.insert(s).second);  // a spring is in one group
    }
  if (!mesh.springs.empty()) {
    CHECK(grouped.size() == mesh.springs.size());
    CHECK(mesh.spring_lengths().minCoeff() > 0);
  }
  for (const auto& [name, members] : mesh.vertex_groups)
    for (const Index v : members) REQUIRE((0 <= v && v < n));
}

/// V − E + F of the faces: 2 for a sphere, 0 for a torus, 1 for a disc.
inline Index euler_characteristic(const Mesh& mesh) {
  std::set<std::pair<Index, Index>> edges;
  for (const auto& face : mesh.faces)
    for (std::size_t k = 0; k < face.size(); ++k) edges.insert(std::minmax(face[k], face[(k + 1) % face.size()]));
  return mesh.vertices.cols() - static_cast<Index>(edges.size()) + static_cast<Index>(mesh.faces.size());
}

/// How often each directed edge occurs in the faces.
inline std::map<std::pair<Index, Index>, int> directed_edges(const Mesh& mesh) {
  std::map<std::pair<Index, Index>, int> count;
  for (const auto& face : mesh.faces)
    for (std::size_t k = 0; k < face.size(); ++k) ++count[{face[k], face[(k + 1) % face.size()]}];
  return count;
}

/// Edges with a face on one side only; complains about edges with more than two faces or two faces turned against each
/// other, and about vertices with more than one fan of faces.
inline std::size_t border_edges(const Mesh& mesh) {
  const auto count = directed_edges(mesh);
  std::size_t border = 0;
  for (const auto& [edge, times] : count) {
    REQUIRE(times == 1);
    if (!count.count({edge.second, edge.first})) ++border;
  }
  std::map<Index, std::map<Index, Index>> next;  // around a vertex: from one neighbor to the next
  for (const auto& face : mesh.faces) {
    const std::size_t n = face.size();
    for (std::size_t k = 0; k < n; ++k) next[face[k]][face[(k + 1) % n]] = face[(k + n - 1) % n];
  }
  for (const auto& [vertex, turn] : next) {
    // Start where nothing leads to, if there is such a place: at a border.
    std::set<Index> reached;
    for (const auto& [from, to] : turn) reached.insert(to);
    Index start = turn.begin()->first;
    for (const auto& [from, to] : turn)
      if (!reached.count(from)) start = from;
    std::size_t faces = 0;
    Index at = start;
    do {
      ++faces;
      at = turn.at(at);
    } while (at != start && turn.count(at));
    REQUIRE(faces == turn.size());
  }
  return border;
}

/// Enclosed volume, positive if faces are counter-clockwise seen from outside.
inline double signed_volume(const Mesh& mesh) {
  double volume = 0;
  for (const auto& f : mesh.faces)
    for (std::size_t k = 1; k + 1 < f.size(); ++k) {
      const Vec3 a = mesh.vertices.col(f[0]), b = mesh.vertices.col(f[k]), c = mesh.vertices.col(f[k + 1]);
      volume += a.dot(b.cross(c)) / 6;
    }
  return volume;
}

/// The smallest angle of any triangle [degrees].
inline double smallest_angle(const Mesh& mesh) {
  double least = 180;
  for (const auto& f : mesh.faces)
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 x = mesh.vertices.col(f[k]);
      const Vec3 a = mesh.vertices.col(f[(k + 1) % 3]) - x, b = mesh.vertices.col(f[(k + 2) % 3]) - x;
      least = std::min(least, std::atan2(a.cross(b).norm(), a.dot(b)) * 180 / std::numbers::pi);
    }
  return least;
}

/// Lengths of the springs of a group [m].
inline Eigen::VectorXd lengths_of(const Mesh& mesh, const std::string& group) {
  const auto& members = mesh.spring_groups.at(group);
  return mesh.spring_lengths()(members);
}

}  // namespace pithball::testing
