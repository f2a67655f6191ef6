#pragma once
#include <string>

#include "datasets/mesh/mesh.hpp"

namespace pithball::app {

/// The mesh as text of an OBJ, OFF or PLY file, chosen by `ending` (".obj"). OBJ stores springs as lines, PLY as edges
/// if the mesh has no faces. Coordinates are read back bit for bit. Throws InvalidArgument on another ending.
std::string mesh_text(const datasets::Mesh& mesh, const std::string& ending);

}  // namespace pithball::app
