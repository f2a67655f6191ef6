#pragma once
#include "datasets/mesh.hpp"
#include "experiments/yaml/node.hpp"

namespace pithball::experiments {

/// The geometry that `system:` (the node) describes: `mesh:` names a file or a shape, with its placement; or
/// `vertices:` and `springs.edges` write it out.
datasets::Mesh read_mesh_source(Node& system);

}  // namespace pithball::experiments
