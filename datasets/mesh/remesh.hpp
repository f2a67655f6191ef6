#pragma once
#include "datasets/mesh/mesh.hpp"

namespace pithball::datasets {

/// A new triangulation of the same surface, coarser or finer, with edges of about `edge_length` [m], most of them
/// between 4/5 and 4/3 of it (Botsch and Kobbelt 2004, CGAL's isotropic remeshing). Borders are preserved, and so are
/// edges where the normals of the faces differ by more than `sharp_angle` [rad]. Springs are the new edges (group
/// "edge"); vertex groups are lost. Vertices without a face are dropped. The same mesh gives the same result on one
/// machine.
///
/// Throws InvalidArgument if the length is not finite and > 0 or would need more than ten million triangles, or if the
/// mesh has no faces, an edge with more than two faces, a vertex where two fans of faces meet, faces that cannot be
/// oriented consistently, or a face with zero area.
Mesh remeshed(const Mesh& mesh, double edge_length, double sharp_angle);

/// Area of all faces [m²], polygons as fans around their first corner.
double surface_area(const Mesh& mesh);

}  // namespace pithball::datasets
