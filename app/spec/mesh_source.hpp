#pragma once
#include "app/yaml/node.hpp"
#include "datasets/mesh/mesh.hpp"
#include "sim/core/surface.hpp"

namespace pithball::app {

/// The geometry that `system:` (the node) describes: `mesh:` names a file or a shape, with its placement; or
/// `vertices:` and `springs.edges` write it out.
datasets::Mesh read_mesh_source(Node& system);

/// The surface of the mesh below a key, written as `system.mesh` is; polygons are cut into triangles. Complains about
/// a mesh without faces.
sim::Surface read_surface(Node& node, std::string_view key, std::string_view meaning);

}  // namespace pithball::app
