#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/yaml/node.hpp"
#include "sim/core/topology.hpp"

namespace pithball::app {

/// Particles of each named group.
using Groups = std::map<std::string, std::vector<Index>>;

/// Reads particles given as numbers, ranges (both ends included) and group names, in file order: `[0, 10-19, ears]`, or
/// one group's name. Groups may have particles in common, each of which is returned once. Throws InvalidArgument for a
/// particle that does not exist, a number whose particle is also named otherwise, a group named twice, and a reversed
/// range.
std::vector<Index> read_particles(Node& node, std::string_view key, std::string_view meaning, Index count,
                                  const Groups& groups);

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

/// The items of a value per item: particles or springs, with their named groups.
struct ItemSpace {
  std::string noun;  ///< "particle"
  Index count = 0;   ///< number of items
  /// By name: numbers of items; must outlive this object.
  const std::map<std::string, std::vector<Index>>* groups = nullptr;
};

/// A number per item, as queried.
struct ItemValue {
  std::string_view unit,                      ///< in base units of SI
      meaning;                                ///< a phrase for the page of keys
  std::optional<double> fallback = {};        ///< without one, required; NaN: optional, and no number means none
  sim::ValueSign sign = sim::ValueSign::Any;  ///< allowed signs
};

/// Reads one number for each item, written as one value for all; a list; {total: value}, divided equally; or {group:
/// value, …, rest: value}, where a value can again be {total: value} and a later group overrides an earlier one.
Vector read_per_item(Node& node, std::string_view key, const ItemValue& asked, const ItemSpace& space);

}  // namespace pithball::app
