#include "app/spec/groups.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/text/text_scan.hpp"

namespace pithball::app {
namespace {

template <class Inside>
std::vector<Index> select(const Points& vertices, Inside inside) {
  std::vector<Index> selected;
  for (Index i = 0; i < vertices.cols(); ++i)
    if (inside(vertices.col(i))) selected.push_back(i);
  return selected;
}

std::vector<Index> read_box(Node& group, const Points& vertices) {
  if (group.describing()) {
    group.document("box", "two vectors [m]", "optional",
                   "[[min x, y, z], [max x, y, z]]: the particles inside, including the boundary");
    return {};
  }
  const Points corners = group.points("box", "m", "");
  if (corners.cols() != 2)
    group.reject("box", "must be two corners", fmt::format("{}", corners.cols()), "write [[x, y, z], [x, y, z]]");
  if ((corners.col(0).array() > corners.col(1).array()).any())
    group.reject("box", "must have the corner with the smallest coordinates first", "a coordinate that decreases",
                 "exchange the two corners, or their coordinates");
  return select(vertices, [&](const Vec3& x) {
    return (x.array() >= corners.col(0).array()).all() && (x.array() <= corners.col(1).array()).all();
  });
}

std::vector<Index> read_ball(Node& group, const Points& vertices) {
  Node sphere = group.child("sphere", "the particles inside a sphere, including the boundary");
  const Vec3 center = sphere.vector("center", "m", "center of the sphere");
  const double radius = sphere.number("radius", "m", "radius of the sphere", {}, sim::ValueSign::Positive);
  return select(vertices, [&](const Vec3& x) { return (x - center).norm() <= radius; });
}

std::vector<Index> read_group(Node group, const Points& vertices, const Groups& groups) {
  if (group.describing()) {
    read_particles(group, "vertices", "particle numbers and names of earlier groups", vertices.cols(), groups);
    read_box(group, vertices);
    read_ball(group, vertices);
    return {};
  }
  if (group.is_written("box")) return read_box(group, vertices);
  if (group.is_written("sphere")) return read_ball(group, vertices);
  std::vector<Index> chosen = read_particles(group, "vertices", "", vertices.cols(), groups);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace

void read_groups(Node node, const Points& vertices, Groups& groups) {
  for (auto& [name, group] : node.entries("NAME")) {
    if (group.describing()) {
      read_group(group, vertices, groups);
      continue;
    }
    if (name == "rest" || name == "total" || name == "all")
      group.reject("", "must not use the reserved name '" + name + "'", "", "choose another name");
    if (name.find_first_of(".[] ") != std::string::npos || name.empty() || datasets::parse_number(name))
      group.reject("", "must have a name without dots, brackets and spaces, which is not a number", "'" + name + "'",
                   "choose another name");
    if (groups.count(name))
      group.reject("", "must not repeat the name of a group of the mesh", "'" + name + "'", "choose another name");
    std::vector<Index> chosen = read_group(group, vertices, groups);
    if (chosen.empty())
      group.reject("", "must contain at least one particle", "none", "check the selection against `pithball mesh`");
    groups[name] = std::move(chosen);
  }
}

}  // namespace pithball::app
