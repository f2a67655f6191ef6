#pragma once
#include "app/yaml/particle_list.hpp"

namespace pithball::app {

/// Adds the groups defined under `groups:` (the node) to those of the mesh: {vertices: […]}, {box: [[…], […]]},
/// {sphere: {center, radius}}. Particle numbers are in ascending order.
void read_groups(Node node, const Points& vertices, Groups& groups);

}  // namespace pithball::app
