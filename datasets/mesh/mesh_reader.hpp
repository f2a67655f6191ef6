#pragma once
#include <string>
#include <vector>

#include "datasets/mesh/mesh.hpp"

namespace pithball::datasets {

/// Reads a mesh in a format given by the file's extension: OBJ (also `f v/vt/vn`, negative indices, `l` and lines
/// continued by a backslash), OFF, PLY (text and binary, with faces, edges or both) or STL (text, of any number of
/// solids, and binary).
///
/// Vertices keep the file's order and identity: none is merged, dropped or renumbered, whether or not a face uses it
/// (see `welded` to merge them). Only STL stores no identity (each triangle repeats its corners); corners with exactly
/// equal coordinates are then one vertex, numbered by first appearance. Coordinates are in meters (see `transformed`
/// for other units).
///
/// Springs are the edges of the polygons, each once (group "edge"), both diagonals of quadrilaterals (group
/// "diagonal"), and what else the lines of an OBJ or the edges of a PLY join (group "line"). Polygons with more than
/// four corners get only their edges: triangulate such a file first if they must resist shear.
///
/// Throws InvalidArgument with file, line (in text formats) and remedy if the file is missing, empty, truncated or of
/// an unknown format, has no vertices or neither faces nor lines, a coordinate that is not a finite number, a face with
/// fewer than three corners or a repeated corner, a line from a vertex to itself, or an index outside the vertices.
Mesh read_mesh(const std::string& path);

/// The extensions known to `read_mesh`: ".obj", ".off", ".ply", ".stl" (upper case is accepted).
const std::vector<std::string>& mesh_file_endings();

}  // namespace pithball::datasets
