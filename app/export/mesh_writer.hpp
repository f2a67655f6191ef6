#pragma once
#include <string>

#include "datasets/mesh/mesh.hpp"

namespace pithball::app {

/// The mesh as the text of an OBJ, OFF or PLY file, told by `ending` (".obj"); springs go into OBJ as lines and into
/// PLY as edges, where the mesh has no faces. Coordinates read back to the same bits. Throws InvalidArgument on another
/// ending.
std::string mesh_text(const datasets::Mesh& mesh, const std::string& ending);

}  // namespace pithball::app
