#pragma once
#include "experiments/yaml/particle_list.hpp"

namespace pithball::experiments {

/// Adds the groups that `groups:` (the node) names to those of the mesh: {vertices: […]}, {box: [[…], […]]},
/// {sphere: {center, radius}}; ascending particle numbers.
void read_groups(Node node, const Points& vertices, Groups& groups);

}  // namespace pithball::experiments
