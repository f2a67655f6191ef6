#pragma once
#include <string>
#include <vector>

#include "datasets/mesh/mesh.hpp"

namespace pithball::datasets {

/// Reads a surface mesh or polygon soup in a format given by the file's extension: OBJ (also `f v/vt/vn` and negative
/// indices), OFF, PLY (text and binary) or STL (text and binary).
///
/// Vertices keep the file's order and identity: none is merged, dropped or renumbered, whether or not a face uses it.
/// Only STL stores no identity (each triangle repeats its corners); corners with exactly equal coordinates are then one
/// vertex, numbered by first appearance. Coordinates are in meters (see `transformed` for other units).
///
/// Springs are the edges of the polygons, each once (group "edge"), and both diagonals of quadrilaterals (group
/// "diagonal"). Polygons with more than four corners get only their edges: triangulate such a file first if they must
/// resist shear.
///
/// Throws InvalidArgument with file, line (in text formats) and remedy if the file is missing, empty, truncated or of
/// an unknown format, has no vertices or faces, a coordinate that is not a finite number, a face with fewer than three
/// corners or a repeated corner, or an index outside the vertices.
Mesh read_mesh(const std::string& path);

/// The extensions known to `read_mesh`: ".obj", ".off", ".ply", ".stl" (upper case is accepted).
const std::vector<std::string>& mesh_file_endings();

}  // namespace pithball::datasets
