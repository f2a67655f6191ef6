#include "app/yaml/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/yaml/nearest.hpp"

namespace pithball::app {

sim::Spring read_pair(Node& node, std::string_view key, std::string_view meaning, const std::string& noun,
                      Index particles) {
  const std::vector<Index> pair = node.integers(key, meaning);
  if (node.describing()) return {};
  if (pair.size() != 2)
    node.reject(key, "must be a pair [i, j]", fmt::format("a list of {}", pair.size()), "write two particle numbers");
  for (const Index end : pair)
    if (end >= particles)
      node.reject(key, fmt::format("must name particles between 0 and {}", particles - 1), fmt::format("{}", end),
                  "particles are counted from 0");
  if (pair[0] == pair[1])
    node.reject(key, "must join two different particles", fmt::format("particle {} twice", pair[0]),
                "remove the " + noun);
  return {std::min(pair[0], pair[1]), std::max(pair[0], pair[1])};
}

std::vector<sim::Spring> read_pairs(Node& node, std::string_view key, std::string_view meaning, const std::string& noun,
                                    Index particles) {
  std::vector<sim::Spring> edges;
  std::set<std::pair<Index, Index>> known;
  for (Node& item : node.items(key, meaning)) {
    if (item.describing()) continue;
    const sim::Spring edge = read_pair(item, "", "", noun, particles);
    if (!known.insert({edge.i, edge.j}).second)
      item.reject("", "must join a pair that has no " + noun + " yet", fmt::format("[{}, {}] again", edge.i, edge.j),
                  "remove one of the two");
    edges.push_back(edge);  // stays in the order of writing: lists of stiffness follow it
  }
  return edges;
}

std::vector<sim::Spring> read_edges(Node& node, std::string_view key, std::string_view meaning,
                                    const EdgeSpace& space) {
  if (node.describing()) {
    node.document(key, "mesh, name of a group of edges, or list of pairs [i, j]", "required", meaning);
    return {};
  }
  if (!node.is_scalar(key)) {
    std::vector<sim::Spring> pairs = read_pairs(node, key, meaning, "link", space.particles);
    if (pairs.empty()) node.reject(key, "must name at least one pair", "none", "write `edges: mesh`, or [[0, 1], …]");
    return pairs;
  }
  const std::string name = node.text(key, meaning);
  std::vector<sim::Spring> edges;
  if (name == "mesh") {
    edges = *space.edges;
  } else {
    const auto group = space.groups->find(name);
    if (group == space.groups->end()) {
      std::vector<std::string> known{"mesh"};
      for (const auto& [other, items] : *space.groups) known.push_back(other);
      node.reject(key, "must be `mesh`, a group of the mesh's edges, or a list of pairs", "'" + name + "'",
                  suggestion(name, known));
    }
    for (const Index e : group->second) edges.push_back((*space.edges)[e]);
  }
  if (edges.empty())
    node.reject(key, "must name at least one edge", "'" + name + "', which has none", "write pairs [[0, 1], …]");
  return edges;
}

}  // namespace pithball::app
