#pragma once
#include <Eigen/Core>
#include <array>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::datasets {

using PlanarPoints = Eigen::Matrix<double, 2, Eigen::Dynamic>;  ///< [m], 2×n

/// Triangles of a planar region, corners counterclockwise.
struct PlanarMesh {
  PlanarPoints points;                               ///< all vertices, of the lines and inside [m]
  std::vector<std::array<sim::Index, 3>> triangles;  ///< indices of `points`, counterclockwise
};

/// Fills the region enclosed by the lines with nearly equal triangles with edges of at most about `longest_edge` [m]: a
/// constrained Delaunay triangulation, refined and smoothed by Lloyd's iteration (CGAL). Lines may share ends but not
/// cross; all their points are vertices, and no triangle crosses them, so that an inner line divides the mesh. Long
/// lines are subdivided. The same lines give the same mesh on one machine. Throws InvalidArgument if nothing is
/// enclosed, and on a length or a point that is not finite, or a length that is not > 0.
PlanarMesh make_planar_mesh(const std::vector<PlanarPoints>& lines, double longest_edge);

/// The line with points added so that no segment is longer than `longest` [m]; each segment is divided evenly.
PlanarPoints divided_line(const PlanarPoints& line, double longest);

}  // namespace pithball::datasets
