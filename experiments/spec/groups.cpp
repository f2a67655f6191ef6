#include "experiments/spec/groups.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/text_scan.hpp"
#include "experiments/yaml/nearest.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {
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
                   "[[smallest x, y, z], [largest x, y, z]]: the particles inside, borders included");
    return {};
  }
  const Points corners = group.points("box", "m", "");
  if (corners.cols() != 2)
    group.refuse("box", "must be two corners", fmt::format("{}", corners.cols()), "write [[x, y, z], [x, y, z]]");
  if ((corners.col(0).array() > corners.col(1).array()).any())
    group.refuse("box", "must have its smallest corner first", "a component that decreases", "exchange the two");
  return select(vertices, [&](const Vec3& x) {
    return (x.array() >= corners.col(0).array()).all() && (x.array() <= corners.col(1).array()).all();
  });
}

std::vector<Index> read_ball(Node& group, const Points& vertices) {
  Node sphere = group.child("sphere", "the particles inside a sphere, border included");
  const Vec3 center = sphere.vector("center", "m", "of the sphere");
  const double radius = sphere.number("radius", "m", "of the sphere", {}, sim::ValueSign::Positive);
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
      group.refuse("", "must not use the reserved name '" + name + "'", "", "choose another name");
    if (name.find_first_of(".[] ") != std::string::npos || name.empty() || datasets::parse_number(name))
      group.refuse("", "must have a name without points, brackets and blanks that is no number", "'" + name + "'",
                   "choose another name");
    if (groups.count(name))
      group.refuse("", "must not repeat the name of a group of the mesh", "'" + name + "'", "choose another name");
    std::vector<Index> chosen = read_group(group, vertices, groups);
    if (chosen.empty())
      group.refuse("", "must hold at least one particle", "none", "check the selection against `pithball mesh`");
    groups[name] = std::move(chosen);
  }
}

std::vector<Index> read_particles(Node& node, std::string_view key, std::string_view meaning, Index count,
                                  const Groups& groups) {
  if (node.describing())
    return node.document(key, "list of particle numbers and group names", "optional", meaning), std::vector<Index>{};
  const Node value = node.form(key);
  if (!value.tree()) return {};
  std::vector<const Tree*> parts;
  if (value.is_list())
    for (const Tree& entry : value.tree()->entries) parts.push_back(&entry);
  else
    parts.push_back(value.tree());
  std::vector<Index> chosen;
  std::vector<bool> taken(static_cast<std::size_t>(count), false);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Tree& part = *parts[k];
    const auto fail = [&](std::string required, std::string got, std::string remedy) {
      const std::string path = value.is_list() ? fmt::format("{}[{}]", value.path(), k) : value.path();
      throw InvalidArgument({part.place.text(), path, std::move(required), std::move(got), std::move(remedy)});
    };
    if (part.kind != Tree::Kind::Scalar)
      fail("must be a particle number or the name of a group", "something else", "write [0, 12, ears]");
    const auto number = datasets::parse_integer(part.text);
    const auto group = groups.find(part.text);
    if (!number && group == groups.end()) {
      std::vector<std::string> known;
      for (const auto& [name, members] : groups) known.push_back(name);
      const auto meant = nearest(part.text, known);
      fail("must be a particle number or the name of a group", "'" + part.text + "'",
           meant ? "did you mean '" + *meant + "'?" : "known groups are " + joined(known));
    }
    if (number && (*number < 0 || *number >= count))
      fail(fmt::format("must be between 0 and {}", count - 1), part.text, "particles are counted from 0");
    for (const Index i : number ? std::vector<Index>{*number} : group->second) {
      if (taken[static_cast<std::size_t>(i)])
        fail("must name every particle once", fmt::format("particle {} again", i), "remove one of the two");
      taken[static_cast<std::size_t>(i)] = true;
      chosen.push_back(i);
    }
  }
  return chosen;
}

}  // namespace pithball::experiments
