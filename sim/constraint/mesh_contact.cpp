#include "sim/constraint/mesh_contact.hpp"

#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Simple_cartesian.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sim/core/error.hpp"

namespace pithball::sim {
namespace {

using Kernel = CGAL::Simple_cartesian<double>;
using Triangle = Kernel::Triangle_3;
using Primitive = CGAL::AABB_triangle_primitive<Kernel, std::vector<Triangle>::const_iterator>;
using Tree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>>;
using Edge = std::pair<Index, Index>;

[[noreturn]] void reject_surface(const std::string& required, const std::string& got) {
  throw InvalidArgument({"", "constraints.mesh.surface", required, got, "repair the mesh, or use another"});
}

Vec3 corner_of(const Surface& surface, std::size_t triangle, int corner) {
  return surface.vertices.col(surface.triangles[triangle][corner]);
}

/// Returns the signed volume of a surface. Rejects one that is open, flat or not oriented (each edge once in each
/// direction).
double volume_of_closed(const Surface& surface) {
  std::map<Edge, int> directed;
  double volume = 0;
  for (std::size_t f = 0; f < surface.triangles.size(); ++f) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Index i = surface.triangles[f][k], j = surface.triangles[f][(k + 1) % 3];
      if (i < 0 || i >= surface.vertices.cols() || i == j)
        reject_surface("must have triangles of three different vertices", "triangle " + std::to_string(f));
      ++directed[{i, j}];
    }
    const Vec3 a = corner_of(surface, f, 0), b = corner_of(surface, f, 1), c = corner_of(surface, f, 2);
    volume += a.dot(b.cross(c)) / 6;
  }
  for (const auto& [edge, count] : directed) {
    const auto back = directed.find({edge.second, edge.first});
    if (count != 1 || back == directed.end())
      reject_surface("must be closed and oriented: each edge between two triangles, once in each direction",
                     "the edge between vertices " + std::to_string(edge.first) + " and " + std::to_string(edge.second));
  }
  if (!(std::abs(volume) > 0)) reject_surface("must enclose a volume", "none");
  return volume;
}

}  // namespace

struct MeshContact::Nearest {
  Vec3 origin;      // a vertex of the mesh, to avoid cancellation far from the world's origin
  Surface surface;  // relative to `origin`
  std::vector<Vec3> face_normals, vertex_normals;
  std::map<Edge, Vec3> edge_normals;  // smaller vertex first
  std::vector<Triangle> triangles;
  Tree tree;

  explicit Nearest(Surface given) : surface(std::move(given)) {
    if (surface.triangles.empty()) reject_surface("must have triangles", "none");
    if (!surface.vertices.allFinite()) reject_surface("must have finite vertices", "nan or inf");
    origin = surface.vertices.col(0);
    surface.vertices.colwise() -= origin;
    if (volume_of_closed(surface) < 0)
      for (auto& triangle : surface.triangles) std::swap(triangle[1], triangle[2]);
    vertex_normals.assign(surface.vertices.cols(), Vec3::Zero());
    for (std::size_t f = 0; f < surface.triangles.size(); ++f) {
      const Vec3 corners[3] = {corner_of(surface, f, 0), corner_of(surface, f, 1), corner_of(surface, f, 2)};
      const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
      if (normal.isZero(0)) reject_surface("must have triangles of some area", "triangle " + std::to_string(f));
      face_normals.push_back(normal);
      for (std::size_t k = 0; k < 3; ++k) {
        const Vec3 one = (corners[(k + 1) % 3] - corners[k]).normalized(),
                   other = (corners[(k + 2) % 3] - corners[k]).normalized();
        vertex_normals[surface.triangles[f][k]] += std::acos(std::clamp(one.dot(other), -1.0, 1.0)) * normal;
        edge_normals.try_emplace(edge_of(f, k), Vec3::Zero()).first->second += normal;
      }
      const auto point = [](const Vec3& x) { return Kernel::Point_3(x[0], x[1], x[2]); };
      triangles.emplace_back(point(corners[0]), point(corners[1]), point(corners[2]));
    }
    tree.insert(triangles.cbegin(), triangles.cend());
    tree.build();
    tree.accelerate_distance_queries();  // built now, so that queries are const and thread-safe
  }

  Edge edge_of(std::size_t f, std::size_t k) const {
    const Index i = surface.triangles[f][k], j = surface.triangles[f][(k + 1) % 3];
    return std::minmax(i, j);
  }

  /// The vertex, edge or face of triangle f on which a point lies, with its normal (of unit length only for a face).
  struct Feature {
    Vec3 normal;
    bool face;
  };
  Feature feature_at(std::size_t f, const Vec3& p) const {
    const Vec3 a = corner_of(surface, f, 0), b = corner_of(surface, f, 1), c = corner_of(surface, f, 2);
    const double area = (b - a).cross(c - a).norm();
    // Barycentric coordinates: the point is on an edge if one is 0 within rounding, on a vertex if two are.
    const double weight[3] = {(b - p).cross(c - p).norm() / area, (c - p).cross(a - p).norm() / area,
                              (a - p).cross(b - p).norm() / area};
    constexpr double rounding = 1e-9;
    for (std::size_t k = 0; k < 3; ++k)
      if (weight[(k + 1) % 3] < rounding && weight[(k + 2) % 3] < rounding)
        return {vertex_normals[surface.triangles[f][k]], false};
    for (std::size_t k = 0; k < 3; ++k)
      if (weight[(k + 2) % 3] < rounding) return {edge_normals.at(edge_of(f, k)), false};
    return {face_normals[f], true};
  }
};

MeshContact::MeshContact(Surface surface, Side side, ObstacleOptions options)
    : ObstacleContact("mesh", std::move(options)),
      nearest_(std::make_shared<const Nearest>(std::move(surface))),
      side_(side) {}

MeshContact::~MeshContact() = default;

std::shared_ptr<Constraint> MeshContact::make(Settings& settings, const Points& drawn) {
  Surface surface = ask_surface(settings, "surface", "the closed mesh: a shape or a file, as in `system.mesh`");
  const bool outside =
      settings.choice("side", {"outside", "inside"}, "side on which particles are allowed", "outside") == "outside";
  return std::make_shared<MeshContact>(std::move(surface), outside ? Side::Outside : Side::Inside,
                                       read(settings, drawn));
}

const ConstraintTraits& MeshContact::traits() const {
  static const ConstraintTraits traits{.name = "mesh", .inequality = true};
  return traits;
}

double MeshContact::distance(Index, const Vec3& x, Vec3& normal) const {
  normal = Vec3::Zero();
  if (!x.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const Vec3 seen = x - nearest_->origin;
  const auto [point, triangle] = nearest_->tree.closest_point_and_primitive(Kernel::Point_3(seen[0], seen[1], seen[2]));
  const Vec3 p(point.x(), point.y(), point.z()), away = seen - p;
  const auto [outward, on_face] = nearest_->feature_at(triangle - nearest_->triangles.cbegin(), p);
  // Above a face, the direction from the nearest point is the face's normal, which is accurate even close to the face.
  const double distance = on_face ? std::abs(away.dot(outward)) : away.norm(), outside = away.dot(outward) < 0 ? -1 : 1;
  normal = on_face || distance == 0 ? Vec3(outward.normalized()) : Vec3(outside / distance * away);
  if (side_ == Side::Outside) return outside * distance;
  normal = -normal;
  return -outside * distance;
}

}  // namespace pithball::sim
