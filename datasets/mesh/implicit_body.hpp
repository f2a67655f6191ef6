#pragma once
#include "datasets/mesh/implicit_surface.hpp"
#include "datasets/mesh/mesh_division.hpp"

namespace pithball::datasets {

/// A closed mesh of even triangles whose vertices lie on an implicit surface, scaled to `size`, its box centered at the
/// origin. Normals point outwards. CGAL makes it: a first mesh by Delaunay refinement (Mesh_3), then isotropic
/// remeshing, then Newton steps back onto the surface. Springs are its edges (group "edge"); each part's name is a
/// vertex group, which holds the vertices nearest to that part; every vertex is in one of them. The same settings give
/// the same mesh, bit for bit, on one machine.
///
/// Throws InvalidArgument where `divided` does; if parts lie so far apart that they cannot touch, or one is so thin or
/// so far from the origin that no mesh shows it (a radius below a thousandth of the farthest coordinate, or a plate of
/// more than fifty times its thickness), or there are more than a thousand; and if no vertex is nearest to one of the
/// parts: it lies inside the others, apart from them, or is small against an edge.
Mesh make_implicit_body(const ImplicitSurface& surface, const Division& division);

}  // namespace pithball::datasets
