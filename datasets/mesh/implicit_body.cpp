#include "datasets/mesh/implicit_body.hpp"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Labeled_mesh_domain_3.h>
#include <CGAL/Mesh_complex_3_in_triangulation_3.h>
#include <CGAL/Mesh_criteria_3.h>
#include <CGAL/Mesh_triangulation_3.h>
#include <CGAL/Random.h>
#include <CGAL/make_mesh_3.h>

#include <cmath>
#include <numbers>
#include <string>
#include <unordered_map>

#include "datasets/mesh/remesh.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::datasets {

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Domain = CGAL::Labeled_mesh_domain_3<Kernel>;
using Triangulation = CGAL::Mesh_triangulation_3<Domain>::type;
using Complex = CGAL::Mesh_complex_3_in_triangulation_3<Triangulation>;
using Criteria = CGAL::Mesh_criteria_3<Triangulation>;

/// Returns the faces between the inside and the outside of a complex, with corners counter-clockwise as seen from
/// outside.
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
      const auto [place, is_new] = number_of.try_emplace(&*vertex, points.size());
      const auto& p = vertex->point();
      if (is_new) points.emplace_back(p.x(), p.y(), p.z());
      face.push_back(place->second);
    }
    // A cell's corners are positively oriented: in this order, its faces opposite to corners 1 and 3 point inward.
    if (opposite % 2 == 1) std::swap(face[0], face[1]);
    mesh.faces.push_back(std::move(face));
  }
  mesh.vertices.resize(3, points.size());
  for (std::size_t v = 0; v < points.size(); ++v) mesh.vertices.col(v) = points[v];
  return mesh;
}

/// Returns a mesh with the shape and topology of the body; its triangles vary in size.
Mesh first_mesh(const ImplicitSurface& surface) {
  namespace parameters = CGAL::parameters;
  const auto box = surface.box();
  const Vec3 center = box.rowwise().mean();
  const double radius = 1.1 * (box.col(1) - box.col(0)).norm() / 2;
  const auto value = [&](const Kernel::Point_3& p) { return surface.value({p.x(), p.y(), p.z()}); };
  CGAL::Random random(0);
  // Mesh_3 uses this generator by default.
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

[[noreturn]] void reject_part(const ImplicitSurface& surface, std::size_t part, const std::string& required,
                              const std::string& got, const std::string& remedy) {
  throw InvalidArgument({"", "part '" + surface.parts()[part].name + "'", required, got, remedy});
}

/// For each part, whether it is connected to the first one, judged by bounding boxes.
std::vector<bool> parts_together(const ImplicitSurface& surface) {
  std::vector<bool> met(surface.parts().size(), false);
  std::vector<std::size_t> next{0};
  met[0] = true;
  while (!next.empty()) {
    const auto box = surface.box(next.back());
    next.pop_back();
    for (std::size_t i = 0; i < met.size(); ++i) {
      const auto other = surface.box(i);
      if (met[i] || (box.col(0).array() > other.col(1).array()).any() ||
          (other.col(0).array() > box.col(1).array()).any())
        continue;
      met[i] = true;
      next.push_back(i);
    }
  }
  return met;
}

/// Rejects surfaces on which the mesher would not terminate. It searches for the surface along random lines, and
/// refines until triangles fit the thinnest part: hardly any line may hit the surface, or a plate may be much wider
/// than thick.
void require_one_body(const ImplicitSurface& surface) {
  constexpr std::size_t most_parts = 1000;
  constexpr double thinnest = 1.0 / 1000, flattest = 50;
  const std::size_t count = surface.parts().size();
  if (count > most_parts)
    throw InvalidArgument(
        {"", "parts", "must be at most " + std::to_string(most_parts), std::to_string(count), "use fewer parts"});
  const std::vector<bool> together = parts_together(surface);
  for (std::size_t i = 0; i < count; ++i)
    if (!together[i])
      reject_part(surface, i, "must touch the others", "a gap around it",
                  "move it closer, or enlarge it or `blend`; for several bodies use `mesh: {parts: …}`");
  const double farthest = surface.box().cwiseAbs().maxCoeff();
  for (std::size_t i = 0; i < count; ++i) {
    if (!(surface.least_radius(i) >= thinnest * farthest))
      reject_part(surface, i, "must have radii of at least a thousandth of the body's farthest coordinate",
                  to_text(surface.least_radius(i)) + " of " + to_text(farthest),
                  "put the body around the origin, or write all parts in one unit of length");
    if (!(surface.thinness(i) <= flattest * flattest))
      reject_part(surface, i, "must not be more than " + to_text(flattest) + " times as wide and long as thick",
                  "about " + to_text(std::sqrt(surface.thinness(i))) + " times", "enlarge its smallest radius");
  }
}

void project(const ImplicitSurface& surface, Mesh& mesh) {
  for (Index v = 0; v < mesh.vertices.cols(); ++v) mesh.vertices.col(v) = surface.projected(mesh.vertices.col(v));
}

double extent(const Mesh& mesh) {
  return (mesh.vertices.rowwise().maxCoeff() - mesh.vertices.rowwise().minCoeff()).maxCoeff();
}

}  // namespace

Mesh make_implicit_body(const ImplicitSurface& surface, const Division& division) {
  require_one_body(surface);
  Mesh start = first_mesh(surface);
  if (start.faces.empty())
    throw InvalidArgument(
        {"", "parts", "must have a surface that a mesh can show", "none was found", "use thicker parts"});
  project(surface, start);
  const double unit = extent(start) / division.size;  // surface units per meter
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
                             "let it touch the others and protrude from them, or increase the number of vertices"});
  return mesh;
}

}  // namespace pithball::datasets
