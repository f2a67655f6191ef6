#pragma once
#include "app/spec/built_meshes.hpp"
#include "app/yaml/node.hpp"
#include "datasets/mesh/mesh.hpp"
#include "sim/core/polygons.hpp"

namespace pithball::app {

/// The geometry of `system:` (the node): `mesh:` names a file or a shape, with its placement; or `vertices:` and
/// `springs.edges` list it. A file or parts with vertices at one place get a note unless `weld` is written. A section
/// that has been built before is taken from `built`.
datasets::Mesh read_mesh_source(Node& system, BuiltMeshes& built);

/// The faces of the mesh below a key, written as `system.mesh` is.
sim::Polygons read_polygons(Node& node, std::string_view key, std::string_view meaning);

}  // namespace pithball::app
