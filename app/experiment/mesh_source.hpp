#pragma once
#include <cstddef>
#include <map>
#include <string>

#include "app/yaml/node.hpp"
#include "app/yaml/particle_list.hpp"
#include "app/yaml/tree.hpp"
#include "datasets/mesh/mesh.hpp"
#include "sim/core/surface.hpp"

namespace pithball::app {

/// A mesh built from a section `system.mesh:`.
struct BuiltMesh {
  datasets::Mesh mesh;  ///< as the section describes it
  Tree filled;          ///< the section with every default filled in
  std::string note;     ///< what results should say about it (`Node::note`); empty: nothing
};

/// Cache of the meshes of a document and its variants, by the text of their section and the folders of its files.
/// Remeshing a file or meshing an implicit body takes seconds; a recording, an alternative or a point of a scan that
/// changes only values reuses the mesh.
class BuiltMeshes {
 public:
  /// Null if that section has not been built yet.
  const BuiltMesh* find(const std::string& section) const {
    const auto found = meshes_.find(section);
    return found == meshes_.end() ? nullptr : &found->second;
  }
  /// `section`: its text with the folders of its files; an earlier mesh is replaced.
  void add(std::string section, BuiltMesh built) {
    meshes_.insert_or_assign(std::move(section), std::move(built));
    ++times_;
  }
  /// Number of meshes built.
  std::size_t times_built() const { return times_; }

 private:
  std::map<std::string, BuiltMesh> meshes_;
  std::size_t times_ = 0;
};

/// The geometry of `system:` (the node): `mesh:` names a file or a shape, with its placement; or `vertices:` and
/// `springs.edges` list it. A file or parts with vertices at one place get a note unless `weld` is written. A section
/// that has been built before is taken from `built`.
datasets::Mesh read_mesh_source(Node& system, BuiltMeshes& built);

/// The faces of the mesh below a key, written as `system.mesh` is.
sim::Polygons read_polygons(Node& node, std::string_view key, std::string_view meaning);

/// Adds the groups defined under `groups:` (the node) to those of the mesh: {vertices: […]}, {box: [[…], […]]},
/// {sphere: {center, radius}}. Particle numbers are in ascending order.
void read_groups(Node node, const Points& vertices, Groups& groups);

}  // namespace pithball::app
