#pragma once
#include "app/yaml/particle_list.hpp"

namespace pithball::app {

/// Adds the groups that `groups:` (the node) names to those of the mesh: {vertices: […]}, {box: [[…], […]]},
/// {sphere: {center, radius}}; ascending particle numbers.
void read_groups(Node node, const Points& vertices, Groups& groups);

}  // namespace pithball::app
