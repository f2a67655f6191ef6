#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/yaml/node.hpp"

namespace pithball::app {

/// Particles of each named group.
using Groups = std::map<std::string, std::vector<Index>>;

/// Reads particles given as numbers, ranges (both ends included) and group names, in file order: `[0, 10-19, ears]`, or
/// one group's name. Groups may have particles in common, each of which is returned once. Throws InvalidArgument for a
/// particle that does not exist, a number whose particle is also named otherwise, a group named twice, and a reversed
/// range.
std::vector<Index> read_particles(Node& node, std::string_view key, std::string_view meaning, Index count,
                                  const Groups& groups);

}  // namespace pithball::app
