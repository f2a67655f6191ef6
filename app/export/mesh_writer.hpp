#pragma once
#include <string>

#include "datasets/mesh/mesh.hpp"

namespace pithball::app {

/// The mesh as text of an OBJ, OFF or PLY file, chosen by `ending` (".obj"). Springs that its faces do not have are
/// lines of an OBJ and edges of a PLY. Coordinates are read back bit for bit, and so are the springs, of which those
/// listed are in the group "line"; an OFF file cannot list any. Throws InvalidArgument on another ending.
std::string mesh_text(const datasets::Mesh& mesh, const std::string& ending);

/// Throws InvalidArgument unless `read_mesh` finds the same springs in the file: a mesh must have faces or springs, and
/// in an OFF file no other springs than those of its faces.
void require_read_back(const datasets::Mesh& mesh, const std::string& ending);

}  // namespace pithball::app
