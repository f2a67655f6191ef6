#pragma once
#include "datasets/mesh/implicit_surface.hpp"
#include "datasets/mesh/mesh_division.hpp"

namespace pithball::datasets {

/// A closed mesh of nearly equal triangles with vertices on an implicit surface, scaled to `size`, its bounding box
/// centered at the origin. Normals point outward. Built with CGAL: a first mesh by Delaunay refinement (Mesh_3),
/// isotropic remeshing, and Newton steps back onto the surface. Springs are its edges (group "edge"); each part's name
/// is a vertex group with the vertices nearest to that part; every vertex is in one group. The same settings give the
/// same mesh, bit for bit, on one machine.
///
/// Throws InvalidArgument where `divided` does; if parts lie so far apart that they cannot touch, or one is so thin or
/// so far from the origin that no mesh shows it (a radius below a thousandth of the farthest coordinate, or a plate of
/// more than fifty times its thickness), or there are more than a thousand; and if no vertex is nearest to one of the
/// parts: it lies inside the others, apart from them, or is small against an edge.
Mesh make_implicit_body(const ImplicitSurface& surface, const Division& division);

}  // namespace pithball::datasets
