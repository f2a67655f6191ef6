#pragma once
#include <string>
#include <vector>

#include "datasets/mesh/mesh.hpp"

namespace pithball::datasets {

/// Reads a surface mesh or polygon soup: OBJ (also `f v/vt/vn` and negative indices), OFF, PLY (text and binary) or STL
/// (text and binary), told by the file name's ending.
///
/// Vertices keep the file's order and identity: none is merged, dropped or renumbered, whether or not a face uses it.
/// STL alone stores no identity (each triangle repeats its corners); there, corners with exactly equal coordinates are
/// one vertex, numbered by first appearance. Coordinates are taken as meters (see `transformed` for other units).
///
/// Springs are the edges of the polygons, each once (group "edge"), and both diagonals of quadrilaterals (group
/// "diagonal"). Polygons with more than four corners get their edges only: triangulate such a file first if they
/// must resist shear.
///
/// Throws InvalidArgument naming the file, the line where the format is text, and a remedy, if the file is missing,
/// empty, truncated, of an unknown kind, has no vertices or faces, a coordinate that is not a finite number, a face
/// with fewer than three corners or one corner twice, or an index outside the vertices.
Mesh read_mesh(const std::string& path);

/// The endings that `read_mesh` knows: ".obj", ".off", ".ply", ".stl" (capital letters are accepted).
const std::vector<std::string>& mesh_file_endings();

}  // namespace pithball::datasets
