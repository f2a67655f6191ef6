#pragma once
#include "app/yaml/particle_list.hpp"
#include "sim/core/topology.hpp"

namespace pithball::app {

/// Pairs of particles [[i, j], …] below a key, in the order of writing, the smaller number first. Complains about a
/// particle that does not exist and a pair that is named twice; `noun` is what joins them: "spring".
std::vector<sim::Spring> read_pairs(Node& node, std::string_view key, std::string_view meaning, const std::string& noun,
                                    Index particles);

/// The edges of a mesh, whether they are springs or not, and its groups of them.
struct EdgeSpace {
  Index particles = 0;
  const std::vector<sim::Spring>* edges = nullptr;
  const Groups* groups = nullptr;
};

/// `mesh` (all its edges), the name of a group of its edges, or pairs; at least one.
std::vector<sim::Spring> read_edges(Node& node, std::string_view key, std::string_view meaning, const EdgeSpace& space);

}  // namespace pithball::app
