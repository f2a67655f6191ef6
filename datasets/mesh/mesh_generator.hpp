#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "datasets/mesh/mesh.hpp"

namespace pithball::datasets {

/// Limit on points of a shape, whatever its keys: a body of that size takes gigabytes.
inline constexpr Index most_points = 10'000'000;
/// The same for its springs.
inline constexpr Index most_springs = 5 * most_points;

/// Springs of a quadrilateral: one diagonal (the surface is triangulated) or both (faces stay quads).
enum class Diagonals { One, Both };

/// A torus in the xy plane, axis z, centered at the origin.
/// Vertex a·segments[1] + b lies at ((R + r cos β) cos α, (R + r cos β) sin α, r sin β), α = 2πa/segments[0] around the
/// axis, β = 2πb/segments[1] around the tube. The defaults are the 145-vertex, 435-spring torus of the stability and
/// estimation studies.
/// Vertex groups "ring0", "ring1", …: the tube's cross-sections. Spring groups "around", "tube", "diagonal".
struct TorusShape {
  double major_radius = 4;               ///< R [m], > r
  double minor_radius = 1.5;             ///< r [m], > 0
  std::array<Index, 2> segments{29, 5};  ///< around the axis, around the tube; each ≥ 3
  Diagonals diagonals = Diagonals::One;  ///< of each quadrilateral of the surface
};
/// The mesh of this shape. Throws InvalidArgument for sizes out of their ranges and for more than `most_points` points.
Mesh make_torus(const TorusShape& shape);
/// Vertex a·segments[1] + b of `make_torus`, without the mesh [m].
Vec3 torus_vertex(const TorusShape& shape, Index a, Index b);

/// A quasi-uniform sphere centered at the origin: an icosahedron whose faces are divided into segments² triangles,
/// projected to the radius; 10·segments² + 2 vertices, 30·segments² springs. Vertex groups "top", "bottom" (the
/// vertices with the largest and the smallest z).
struct SphereShape {
  double radius = 1;   ///< [m], > 0
  Index segments = 4;  ///< parts of each edge of the icosahedron, ≥ 1
};
/// The mesh of this shape. Throws InvalidArgument for sizes out of their ranges and for more than `most_points` points.
Mesh make_sphere(const SphereShape& shape);

/// A rectangular cloth in the xy plane, centered at the origin; vertex a·(segments[1] + 1) + b at x of column a, y of
/// row b. Spring groups: "stretch" along the grid lines, "shear" both diagonals of every cell, "bend" from each vertex
/// to the second next along the grid lines. Vertex groups: "left", "right" (smallest, largest x), "bottom", "top" (y),
/// "corners" and each corner alone: "bottom_left", "bottom_right", "top_left", "top_right".
struct GridShape {
  std::array<double, 2> size{1, 1};       ///< along x and y [m], > 0
  std::array<Index, 2> segments{10, 10};  ///< cells along x and y, ≥ 1
  bool shear = true;                      ///< springs along the diagonals
  bool bend = true;                       ///< springs to the second next vertex
};
/// The mesh of this shape. Throws InvalidArgument for sizes out of their ranges and for more than `most_points` points.
Mesh make_grid(const GridShape& shape);

/// Points on a line, each tied to the next (spring group "link"); vertex groups "top" (the first), "bottom" (the last).
struct ChainShape {
  double length = 1;           ///< [m], > 0
  Index segments = 10;         ///< springs, ≥ 1; there is one more vertex
  Vec3 axis = -Vec3::UnitZ();  ///< direction from first to last vertex; any length but 0
  Vec3 origin = Vec3::Zero();  ///< the first vertex [m]
};
/// The mesh of this shape. Throws InvalidArgument for sizes out of their ranges and for more than `most_points` points.
Mesh make_chain(const ChainShape& shape);

/// A prismatic truss: rings of `sides` vertices along an axis, ring 0 centered at the origin; vertex r·sides + s.
/// Spring groups: "longitudinal" from ring to ring, "ring" along each ring and, from four sides on, between all its
/// other pairs (the cross-section keeps its shape), "diagonal" one or both on each lateral face. Vertex groups "ring0"
/// … "ring<segments>", "top" (ring 0), "bottom" (the last ring). Side 0 of each ring lies along `side`, made normal to
/// the axis; the others follow counter-clockwise seen against the axis.
struct BeamShape {
  double length = 1;                      ///< [m], > 0
  double radius = 0.1;                    ///< of the circle through a ring's vertices [m], > 0
  Index sides = 3;                        ///< ≥ 3
  Index segments = 10;                    ///< bays between rings, ≥ 1; there is one more ring
  Diagonals diagonals = Diagonals::Both;  ///< on each lateral face
  Vec3 axis = -Vec3::UnitZ();             ///< from ring 0 to the last ring; any length but 0
  Vec3 side = Vec3::UnitX();              ///< not parallel to the axis
  Vec3 origin = Vec3::Zero();             ///< center of ring 0 [m]
  /// Distance of each ring from ring 0 along the axis [m], strictly increasing from 0; empty: evenly spaced over
  /// `length`. If given, `length` and `segments` are not used.
  std::vector<double> ring_positions;
};
/// The mesh of this shape. Throws InvalidArgument for sizes out of their ranges and for more than `most_points` points.
Mesh make_beam(const BeamShape& shape);

/// A hollow beam: as `make_beam`, but the springs "ring" run along each ring only, so that its sections can flatten.
Mesh make_tube(const BeamShape& shape);

/// Points distributed uniformly in a box, without springs; equal seeds give equal points on every machine.
struct RandomCloudShape {
  Index count = 100;         ///< ≥ 1
  Vec3 min = -Vec3::Ones();  ///< [m]
  Vec3 max = Vec3::Ones();   ///< [m], each component > that of min
  std::uint64_t seed = 1;    ///< of the random numbers
};
/// The mesh of this shape. Throws InvalidArgument for sizes out of their ranges and for more than `most_points` points.
Mesh make_random_cloud(const RandomCloudShape& shape);

/// Points of a lattice in a box or a ball, without springs, as the initial state of a fluid or a crystal. The box is
/// filled with complete cells, with points in their centers; an axis along which it has no extent gets one layer.
struct LatticeShape {
  /// Arrangement of the points in a cell.
  enum class Kind {
    Cubic,             ///< cells of one point
    FaceCenteredCubic  ///< cells of four, the densest packing; nearest neighbors are at `spacing`
  };
  Kind kind = Kind::Cubic;          ///< default: cubic
  double spacing = 0.1;             ///< between nearest neighbors, > 0 [m]
  Vec3 min = Vec3::Constant(-0.5);  ///< [m]
  Vec3 max = Vec3::Constant(0.5);   ///< [m], no component < that of min
  double radius = 0;                ///< > 0: only points within this distance of the box's center [m]
};
/// The mesh of this shape. Throws InvalidArgument for sizes out of their ranges and for more than `most_points` points.
Mesh make_lattice(const LatticeShape& shape);

}  // namespace pithball::datasets
