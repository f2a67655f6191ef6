#include "datasets/mesh/remesh.hpp"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/detect_features.h>
#include <CGAL/Polygon_mesh_processing/measure.h>
#include <CGAL/Polygon_mesh_processing/orient_polygon_soup.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Polygon_mesh_processing/remesh.h>
#include <CGAL/Polygon_mesh_processing/triangulate_faces.h>
#include <CGAL/Surface_mesh.h>

#include <Eigen/Geometry>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <string>

#include "datasets/mesh/mesh_springs.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

namespace processing = CGAL::Polygon_mesh_processing;
using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Surface = CGAL::Surface_mesh<Kernel::Point_3>;

[[noreturn]] void reject(const std::string& required, const std::string& got, const std::string& remedy) {
  throw InvalidArgument({"", "remesh", required, got, remedy});
}

/// Converts a mesh to CGAL's form, with its polygons triangulated.
Surface surface_of(const Mesh& mesh) {
  std::vector<Kernel::Point_3> points;
  for (Index v = 0; v < mesh.vertices.cols(); ++v)
    points.emplace_back(mesh.vertices(0, v), mesh.vertices(1, v), mesh.vertices(2, v));
  std::vector<std::vector<std::size_t>> polygons;
  for (const auto& face : mesh.faces) polygons.emplace_back(face.begin(), face.end());
  // Where no consistent orientation exists, this splits vertices and edges; a body that would fall apart is rejected.
  const std::size_t before = points.size();
  if (!processing::orient_polygon_soup(points, polygons) || points.size() != before)
    reject("must be a surface: two faces at an edge, one fan of faces at a vertex, one side that is out",
           "edges or vertices where it branches", "repair the mesh, for example with MeshLab or Blender");
  Surface surface;
  processing::polygon_soup_to_polygon_mesh(points, polygons, surface);
  if (!processing::triangulate_faces(surface))
    reject("must have faces that can be cut into triangles", "a face that cannot", "triangulate the mesh");
  for (const auto face : surface.faces())
    if (!(processing::face_area(face, surface) > 0))
      reject("must have faces with area", "a face whose corners lie on a line", "remove degenerate faces");
  return surface;
}

Mesh mesh_of(const Surface& surface) {
  Mesh mesh;
  std::map<Surface::Vertex_index, Index> number_of;
  for (const auto vertex : surface.vertices())
    if (!surface.is_isolated(vertex)) number_of.try_emplace(vertex, number_of.size());
  mesh.vertices.resize(3, number_of.size());
  for (const auto& [vertex, v] : number_of) {
    const auto& p = surface.point(vertex);
    mesh.vertices.col(v) << p.x(), p.y(), p.z();
  }
  for (const auto face : surface.faces()) {
    mesh.faces.emplace_back();
    for (const auto vertex : surface.vertices_around_face(surface.halfedge(face)))
      mesh.faces.back().push_back(number_of.at(vertex));
  }
  SpringBuilder springs;
  springs.add_faces(mesh.faces);
  springs.give_to(mesh);
  return mesh;
}

}  // namespace

double surface_area(const Mesh& mesh) {
  double area = 0;
  for (const auto& face : mesh.faces) {
    Vec3 normal = Vec3::Zero();
    const Vec3 first = mesh.vertices.col(face[0]);
    for (std::size_t k = 1; k + 1 < face.size(); ++k)
      normal += (mesh.vertices.col(face[k]) - first).cross(mesh.vertices.col(face[k + 1]) - first);
    area += normal.norm() / 2;
  }
  return area;
}

Mesh remeshed(const Mesh& mesh, double edge_length, double sharp_angle) {
  if (mesh.faces.empty()) reject("needs a mesh with faces", "none", "leave `remesh` out");
  if (mesh.spring_groups.contains("line"))
    reject("needs a mesh without lines, which no triangle can replace", "springs of the group 'line'",
           "leave `remesh` out, or take the lines out of the file");
  if (!std::isfinite(edge_length) || edge_length <= 0)
    reject("must have an edge length > 0 m", std::to_string(edge_length), "give a positive length");
  const double triangles = surface_area(mesh) / (std::numbers::sqrt3 / 4 * edge_length * edge_length);
  if (triangles > 1e7)
    reject("must not need more than ten million triangles", std::to_string(std::llround(triangles)),
           "give longer edges");
  Surface surface = surface_of(mesh);
  auto sharp = surface.add_property_map<Surface::Edge_index, bool>("e:sharp", false).first;
  processing::detect_sharp_edges(surface, sharp_angle * 180 / std::numbers::pi, sharp);
  processing::isotropic_remeshing(surface.faces(), edge_length, surface,
                                  CGAL::parameters::number_of_iterations(10)
                                      .number_of_relaxation_steps(3)
                                      .edge_is_constrained_map(sharp)
                                      .protect_constraints(false));
  if (surface.number_of_faces() == 0) reject("must leave at least one face", "no face", "give shorter edges");
  surface.collect_garbage();
  return mesh_of(surface);
}

}  // namespace pithball::datasets
