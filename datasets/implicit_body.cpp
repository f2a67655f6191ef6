#include "datasets/implicit_body.hpp"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Labeled_mesh_domain_3.h>
#include <CGAL/Mesh_complex_3_in_triangulation_3.h>
#include <CGAL/Mesh_criteria_3.h>
#include <CGAL/Mesh_triangulation_3.h>
#include <CGAL/Random.h>
#include <CGAL/make_mesh_3.h>

#include <numbers>
#include <string>
#include <unordered_map>

#include "datasets/remesh.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Domain = CGAL::Labeled_mesh_domain_3<Kernel>;
using Triangulation = CGAL::Mesh_triangulation_3<Domain>::type;
using Complex = CGAL::Mesh_complex_3_in_triangulation_3<Triangulation>;
using Criteria = CGAL::Mesh_criteria_3<Triangulation>;

/// The faces between the inside and the outside of a complex, corners counter-clockwise seen from outside.
Mesh boundary_of(const Complex& complex) {
  Mesh mesh;
  std::vector<Vec3> points;
  std::unordered_map<const void*, Index> number_of;
  for (auto facet = complex.facets_in_complex_begin(); facet != complex.facets_in_complex_end(); ++facet) {
    auto [cell, opposite] = *facet;
    if (!complex.is_in_complex(cell)) {
      const auto other = complex.triangulation().mirror_facet(*facet);
      cell = other.first;
      opposite = other.second;
    }
    std::vector<Index> face;
    for (int corner = 0; corner < 3; ++corner) {
      const auto vertex = cell->vertex((opposite + 1 + corner) & 3);
      const auto [place, is_new] = number_of.try_emplace(&*vertex, static_cast<Index>(points.size()));
      const auto& p = vertex->point();
      if (is_new) points.emplace_back(p.x(), p.y(), p.z());
      face.push_back(place->second);
    }
    // A cell's corners are positively oriented: of its faces in this order, those opposite to 1 and 3 look inwards.
    if (opposite % 2 == 1) std::swap(face[0], face[1]);
    mesh.faces.push_back(std::move(face));
  }
  mesh.vertices.resize(3, static_cast<Index>(points.size()));
  for (std::size_t v = 0; v < points.size(); ++v) mesh.vertices.col(static_cast<Index>(v)) = points[v];
  return mesh;
}

/// A mesh that has the body's shape and topology; its triangles vary in size.
Mesh first_mesh(const ImplicitSurface& surface) {
  namespace parameters = CGAL::parameters;
  const auto box = surface.box();
  const Vec3 center = box.rowwise().mean();
  const double radius = 1.1 * (box.col(1) - box.col(0)).norm() / 2;
  const auto value = [&](const Kernel::Point_3& p) { return surface.value({p.x(), p.y(), p.z()}); };
  CGAL::Random random(0);
  // Mesh_3 draws from this generator where it is not given one.
  CGAL::get_default_random() = CGAL::Random(0);
  const Domain domain =
      Domain::create_implicit_mesh_domain(value, Kernel::Sphere_3({center[0], center[1], center[2]}, radius * radius),
                                          parameters::relative_error_bound = 1e-7, parameters::p_rng = &random);
  const Criteria criteria(parameters::facet_angle = 25, parameters::facet_size = radius / 12,
                          parameters::facet_distance = radius / 400, parameters::cell_size = radius);
  const auto complex = CGAL::make_mesh_3<Complex>(domain, criteria, parameters::no_perturb(), parameters::no_exude(),
                                                  parameters::manifold());
  return boundary_of(complex);
}

void project(const ImplicitSurface& surface, Mesh& mesh) {
  for (Index v = 0; v < mesh.vertices.cols(); ++v) mesh.vertices.col(v) = surface.projected(mesh.vertices.col(v));
}

double extent(const Mesh& mesh) {
  return (mesh.vertices.rowwise().maxCoeff() - mesh.vertices.rowwise().minCoeff()).maxCoeff();
}

}  // namespace

Mesh make_implicit_body(const ImplicitSurface& surface, const Division& division) {
  Mesh start = first_mesh(surface);
  project(surface, start);
  const double unit = extent(start) / division.size;  // of the surface's coordinates in a metre
  const double area = surface_area(start) / (unit * unit);
  Mesh mesh = divided(division, area, [&](double edge) {
    Mesh made = remeshed(start, edge * unit, std::numbers::pi);
    project(surface, made);
    for (Index v = 0; v < made.vertices.cols(); ++v)
      made.vertex_groups[surface.parts()[surface.nearest_part(made.vertices.col(v))].name].push_back(v);
    const Vec3 center = (made.vertices.rowwise().maxCoeff() + made.vertices.rowwise().minCoeff()) / 2;
    made.vertices.colwise() -= center;
    made.vertices *= division.size / extent(made);
    return made;
  });
  for (const BodyPart& part : surface.parts())
    if (!mesh.vertex_groups.count(part.name))
      throw InvalidArgument({"", "part '" + part.name + "'", "must have vertices of its own", "none",
                             "let it touch the others and stand out of them, or ask for more vertices"});
  return mesh;
}

}  // namespace pithball::datasets
