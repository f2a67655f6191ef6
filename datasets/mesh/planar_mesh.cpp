#include "datasets/mesh/planar_mesh.hpp"

#include <CGAL/Constrained_Delaunay_triangulation_2.h>
#include <CGAL/Delaunay_mesh_face_base_2.h>
#include <CGAL/Delaunay_mesh_size_criteria_2.h>
#include <CGAL/Delaunay_mesh_vertex_base_2.h>
#include <CGAL/Delaunay_mesher_2.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/lloyd_optimize_mesh_2.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <unordered_map>

#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using VertexBase = CGAL::Delaunay_mesh_vertex_base_2<Kernel>;
using FaceBase = CGAL::Delaunay_mesh_face_base_2<Kernel>;
using PlanarTriangulation =
    CGAL::Constrained_Delaunay_triangulation_2<Kernel, CGAL::Triangulation_data_structure_2<VertexBase, FaceBase>>;
using PlanarCriteria = CGAL::Delaunay_mesh_size_criteria_2<PlanarTriangulation>;

/// Rounds inner points to a grid of 2⁻³⁰ of the longest edge, millions of rounding errors wide: Lloyd's iteration sums
/// in the order of memory addresses, so that its results differ by rounding from call to call.
void settle_points(PlanarTriangulation& triangulation, double longest_edge) {
  const double grid = std::ldexp(longest_edge, -30);
  for (auto v = triangulation.finite_vertices_begin(); v != triangulation.finite_vertices_end(); ++v)
    if (!triangulation.are_there_incident_constraints(v))
      v->set_point({std::round(v->point().x() / grid) * grid, std::round(v->point().y() / grid) * grid});
}

/// Numbers points from left to right and begins each triangle with its smallest number, so that the order does not
/// depend on addresses either.
PlanarMesh in_order(const PlanarMesh& mesh) {
  const Eigen::Index n = mesh.points.cols();
  std::vector<Eigen::Index> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
    return std::pair(mesh.points(0, a), mesh.points(1, a)) < std::pair(mesh.points(0, b), mesh.points(1, b));
  });
  PlanarMesh sorted;
  sorted.points = mesh.points(Eigen::all, order);
  std::vector<sim::Index> number(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) number[order[k]] = k;
  for (std::array<sim::Index, 3> triangle : mesh.triangles) {
    for (sim::Index& corner : triangle) corner = number[corner];
    std::rotate(triangle.begin(), std::min_element(triangle.begin(), triangle.end()), triangle.end());
    sorted.triangles.push_back(triangle);
  }
  std::sort(sorted.triangles.begin(), sorted.triangles.end());
  return sorted;
}

}  // namespace

PlanarMesh make_planar_mesh(const std::vector<PlanarPoints>& lines, double longest_edge) {
  if (!std::isfinite(longest_edge) || longest_edge <= 0)
    throw InvalidArgument({"planar mesh", "longest_edge", "must be finite and > 0 m", std::to_string(longest_edge),
                           "give a positive length"});
  PlanarTriangulation triangulation;
  for (const PlanarPoints& line : lines) {
    if (!line.allFinite())
      throw InvalidArgument({"planar mesh", "lines", "must be finite", "a point that is not", "correct the outline"});
    for (Eigen::Index k = 0; k + 1 < line.cols(); ++k)
      triangulation.insert_constraint(Kernel::Point_2(line(0, k), line(1, k)),
                                      Kernel::Point_2(line(0, k + 1), line(1, k + 1)));
  }
  if (triangulation.dimension() == 2) {
    // 0.125 = sin² of 20.7°, the largest minimum angle with which refinement is sure to terminate.
    CGAL::refine_Delaunay_mesh_2(triangulation, PlanarCriteria(0.125, longest_edge));
    CGAL::lloyd_optimize_mesh_2(triangulation, CGAL::parameters::max_iteration_number = 30);
    settle_points(triangulation, longest_edge);
  }

  PlanarMesh mesh;
  std::vector<Kernel::Point_2> points;
  std::unordered_map<const void*, sim::Index> number_of;
  for (auto face = triangulation.finite_faces_begin(); face != triangulation.finite_faces_end(); ++face) {
    if (!face->is_in_domain()) continue;
    std::array<sim::Index, 3> triangle{};
    for (int corner = 0; corner < 3; ++corner) {
      const auto vertex = face->vertex(corner);
      const auto [place, is_new] = number_of.try_emplace(&*vertex, static_cast<sim::Index>(points.size()));
      if (is_new) points.push_back(vertex->point());
      triangle[corner] = place->second;
    }
    mesh.triangles.push_back(triangle);
  }
  if (mesh.triangles.empty())
    throw InvalidArgument({"planar mesh", "lines", "must enclose an area", "none", "close the outline"});
  mesh.points.resize(2, points.size());
  for (std::size_t v = 0; v < points.size(); ++v) mesh.points.col(v) << points[v].x(), points[v].y();
  return in_order(mesh);
}

PlanarPoints divided_line(const PlanarPoints& line, double longest) {
  std::vector<Eigen::Vector2d> points{line.col(0)};
  for (Eigen::Index k = 0; k + 1 < line.cols(); ++k) {
    const Eigen::Vector2d from = line.col(k), to = line.col(k + 1);
    const int parts = std::ceil((to - from).norm() / longest * (1 - 1e-12));
    for (int p = 1; p < parts; ++p) points.push_back(from + (to - from) * (static_cast<double>(p) / parts));
    points.push_back(to);
  }
  PlanarPoints divided(2, static_cast<Eigen::Index>(points.size()));
  for (std::size_t p = 0; p < points.size(); ++p) divided.col(p) = points[p];
  return divided;
}

}  // namespace pithball::datasets
