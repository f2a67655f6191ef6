#pragma once
#include "datasets/mesh/mesh.hpp"

namespace pithball::datasets {

/// A new triangulation of the same surface with edges of about `edge_length` [m], most of them between 4/5 and 4/3 of
/// it (Botsch and Kobbelt 2004, by CGAL's isotropic remeshing); coarser or finer than the old one. Borders stay
/// borders, sharp edges stay if `keep_sharp_edges`. Springs are the new edges (group "edge"); vertex groups are not
/// carried over. Vertices that no face uses are dropped. The same mesh gives the same result on one machine.
///
/// Throws InvalidArgument if the length is not finite and > 0 or would need more than ten million triangles, if the
/// mesh has no faces, an edge with more than two faces or a vertex where two fans of faces touch, faces that cannot be
/// oriented alike, or a face without area.
Mesh remeshed(const Mesh& mesh, double edge_length, double sharp_angle);

/// Area of all faces [m²], polygons as fans around their first corner.
double surface_area(const Mesh& mesh);

}  // namespace pithball::datasets
