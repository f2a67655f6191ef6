#pragma once
#include "app/yaml/particle_list.hpp"
#include "sim/core/topology.hpp"

namespace pithball::app {

/// A pair of particles [i, j] at a key, the smaller number first. Throws InvalidArgument for a particle that does not
/// exist, and for one with itself; `noun`: what joins them ("spring").
sim::Spring read_pair(Node& node, std::string_view key, std::string_view meaning, const std::string& noun,
                      Index particles);

/// Pairs of particles [[i, j], …] at a key, in file order, the smaller number first. Throws InvalidArgument for a
/// particle that does not exist and a repeated pair; `noun`: what joins the particles ("spring").
std::vector<sim::Spring> read_pairs(Node& node, std::string_view key, std::string_view meaning, const std::string& noun,
                                    Index particles);

/// The edges of a mesh, whether or not they are springs, and their groups.
struct EdgeSpace {
  Index particles = 0;                              ///< number of particles of the body
  const std::vector<sim::Spring>* edges = nullptr;  ///< all edges of the mesh; null: there is no mesh
  const Groups* groups = nullptr;                   ///< by name: numbers of edges; null likewise
};

/// Reads `mesh` (all its edges), the name of a group of its edges, or pairs; at least one.
std::vector<sim::Spring> read_edges(Node& node, std::string_view key, std::string_view meaning, const EdgeSpace& space);

}  // namespace pithball::app
