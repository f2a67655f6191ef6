#pragma once
#include <string>

#include "app/export/exported_motion.hpp"
#include "datasets/mesh/mesh.hpp"
#include "datasets/mesh/mesh_springs.hpp"

namespace pithball::app {

/// The mesh as text of an OBJ, OFF or PLY file, chosen by `ending` (".obj"). Springs that its faces do not have are
/// lines of an OBJ and edges of a PLY. Coordinates are read back bit for bit, and so are the springs, of which those
/// listed are in the group "line"; an OFF file cannot list any. Throws InvalidArgument on another ending.
std::string mesh_text(const datasets::Mesh& mesh, const std::string& ending);

/// Throws InvalidArgument unless `read_mesh` finds the same springs in the file: a mesh must have faces or springs, and
/// in an OFF file no other springs than those of its faces.
void require_read_back(const datasets::Mesh& mesh, const std::string& ending);

/// The body at a state as a mesh to be looked at, without groups: vertices and faces, or springs where it has no faces.
inline datasets::Mesh posed_mesh(const ExportedMotion& motion, const sim::State& state) {
  datasets::Mesh mesh;
  mesh.vertices = state.x;
  mesh.faces = motion.faces;
  datasets::SpringBuilder springs;
  springs.add_faces(mesh.faces);
  if (mesh.faces.empty())
    for (const auto& [i, j] : motion.model.springs()) springs.add(i, j, "");
  springs.give_to(mesh);
  return mesh;
}

}  // namespace pithball::app
