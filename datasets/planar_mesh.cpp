#include "datasets/planar_mesh.hpp"

#include <CGAL/Constrained_Delaunay_triangulation_2.h>
#include <CGAL/Delaunay_mesh_face_base_2.h>
#include <CGAL/Delaunay_mesh_size_criteria_2.h>
#include <CGAL/Delaunay_mesh_vertex_base_2.h>
#include <CGAL/Delaunay_mesher_2.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/lloyd_optimize_mesh_2.h>

#include <cmath>
#include <string>
#include <unordered_map>

#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using VertexBase = CGAL::Delaunay_mesh_vertex_base_2<Kernel>;
using FaceBase = CGAL::Delaunay_mesh_face_base_2<Kernel>;
using Triangulation =
    CGAL::Constrained_Delaunay_triangulation_2<Kernel, CGAL::Triangulation_data_structure_2<VertexBase, FaceBase>>;
using Criteria = CGAL::Delaunay_mesh_size_criteria_2<Triangulation>;

}  // namespace

PlanarMesh make_planar_mesh(const std::vector<PlanarPoints>& lines, double longest_edge) {
  if (!std::isfinite(longest_edge) || longest_edge <= 0)
    throw InvalidArgument({"planar mesh", "longest_edge", "must be finite and > 0 m", std::to_string(longest_edge),
                           "give a positive length"});
  Triangulation triangulation;
  for (const PlanarPoints& line : lines) {
    if (!line.allFinite())
      throw InvalidArgument({"planar mesh", "lines", "must be finite", "a point that is not", "correct the outline"});
    for (Eigen::Index k = 0; k + 1 < line.cols(); ++k)
      triangulation.insert_constraint(Kernel::Point_2(line(0, k), line(1, k)),
                                      Kernel::Point_2(line(0, k + 1), line(1, k + 1)));
  }
  if (triangulation.dimension() == 2) {
    // 0.125 = sin² of the smallest angle, 20.7°, that refinement without end allows.
    CGAL::refine_Delaunay_mesh_2(triangulation, Criteria(0.125, longest_edge));
    CGAL::lloyd_optimize_mesh_2(triangulation, CGAL::parameters::max_iteration_number = 30);
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
      triangle[static_cast<std::size_t>(corner)] = place->second;
    }
    mesh.triangles.push_back(triangle);
  }
  if (mesh.triangles.empty())
    throw InvalidArgument({"planar mesh", "lines", "must enclose an area", "none", "close the outline"});
  mesh.points.resize(2, static_cast<Eigen::Index>(points.size()));
  for (std::size_t v = 0; v < points.size(); ++v)
    mesh.points.col(static_cast<Eigen::Index>(v)) << points[v].x(), points[v].y();
  return mesh;
}

PlanarPoints divided_line(const PlanarPoints& line, double longest) {
  std::vector<Eigen::Vector2d> points{line.col(0)};
  for (Eigen::Index k = 0; k + 1 < line.cols(); ++k) {
    const Eigen::Vector2d from = line.col(k), to = line.col(k + 1);
    const int parts = static_cast<int>(std::ceil((to - from).norm() / longest * (1 - 1e-12)));
    for (int p = 1; p < parts; ++p) points.push_back(from + (to - from) * (static_cast<double>(p) / parts));
    points.push_back(to);
  }
  PlanarPoints divided(2, static_cast<Eigen::Index>(points.size()));
  for (std::size_t p = 0; p < points.size(); ++p) divided.col(static_cast<Eigen::Index>(p)) = points[p];
  return divided;
}

}  // namespace pithball::datasets
