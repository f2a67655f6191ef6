#include "datasets/mesh/mesh_generator.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "datasets/mesh/mesh_springs.hpp"
#include "sim/core/checked_product.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

constexpr double tau = 2 * std::numbers::pi;

void require(bool holds, const char* shape, const char* key, const char* required, const std::string& got,
             const char* remedy) {
  if (!holds) throw InvalidArgument({shape, key, required, got, remedy});
}

void require_length(double value, const char* shape, const char* key) {
  require(std::isfinite(value) && value > 0, shape, key, "must be finite and > 0 m", std::to_string(value),
          "give a positive length");
}

void require_count(Index value, Index least, const char* shape, const char* key) {
  require(value >= least, shape, key, ("must be at least " + std::to_string(least)).c_str(), std::to_string(value),
          "give more");
}

void require_direction(const Vec3& value, const char* shape, const char* key) {
  require(value.allFinite() && value.norm() > 0, shape, key, "must be a finite vector other than 0", "",
          "give a direction such as [0, 0, -1]");
}

/// Rejects counts whose product exceeds `limit`; the product is the number of points (or springs) of a shape.
void require_product(std::initializer_list<Index> counts, Index limit, const char* of, const char* shape,
                     const char* key) {
  if (checked_product(counts, limit)) return;
  std::string got;
  for (const Index count : counts) got += (got.empty() ? "" : " x ") + std::to_string(count);
  throw InvalidArgument({shape, key, "must give at most " + std::to_string(limit) + " " + of, got, "give fewer"});
}

void require_points(std::initializer_list<Index> counts, const char* shape, const char* key) {
  require_product(counts, most_points, "points", shape, key);
}

std::string ring_name(Index r) { return "ring" + std::to_string(r); }

}  // namespace

Vec3 torus_vertex(const TorusShape& shape, Index a, Index b) {
  const double alpha = tau * a / shape.segments[0];
  const double beta = tau * b / shape.segments[1];
  const double distance = shape.major_radius + shape.minor_radius * std::cos(beta);
  return {distance * std::cos(alpha), distance * std::sin(alpha), shape.minor_radius * std::sin(beta)};
}

Mesh make_torus(const TorusShape& shape) {
  const auto [around, tube] = shape.segments;
  require_length(shape.minor_radius, "torus", "minor_radius");
  require(std::isfinite(shape.major_radius) && shape.major_radius > shape.minor_radius, "torus", "major_radius",
          "must be larger than minor_radius", std::to_string(shape.major_radius),
          "swap the radii or enlarge the first");
  require_count(around, 3, "torus", "segments[0]");
  require_count(tube, 3, "torus", "segments[1]");
  require_points({around, tube}, "torus", "segments");

  Mesh mesh;
  mesh.vertices.resize(3, around * tube);
  const auto vertex = [&, tubes = tube, arounds = around](Index a, Index b) {
    return (a % arounds) * tubes + b % tubes;
  };
  SpringBuilder springs;
  for (Index a = 0; a < around; ++a)
    for (Index b = 0; b < tube; ++b) {
      mesh.vertices.col(vertex(a, b)) = torus_vertex(shape, a, b);
      mesh.vertex_groups[ring_name(a)].push_back(vertex(a, b));

      const Index p = vertex(a, b), q = vertex(a + 1, b), r = vertex(a + 1, b + 1), s = vertex(a, b + 1);
      springs.add(p, q, "around");
      springs.add(p, s, "tube");
      springs.add(p, r, "diagonal");
      if (shape.diagonals == Diagonals::Both) {
        springs.add(q, s, "diagonal");
        mesh.faces.push_back({p, q, r, s});
      } else {
        mesh.faces.push_back({p, q, r});
        mesh.faces.push_back({p, r, s});
      }
    }
  springs.give_to(mesh);
  return mesh;
}

Mesh make_sphere(const SphereShape& shape) {
  require_length(shape.radius, "sphere", "radius");
  require_count(shape.segments, 1, "sphere", "segments");
  require_points({10, shape.segments, shape.segments}, "sphere", "segments");
  // Icosahedron with a vertex at each pole: rings of five at z = ±1/√5, turned by half a step against each other.
  Eigen::Matrix<double, 3, 12> corner;
  corner.col(0) = Vec3::UnitZ();
  corner.col(11) = -Vec3::UnitZ();
  for (int k = 0; k < 5; ++k) {
    const double z = 1 / std::sqrt(5.0), rho = 2 * z;
    corner.col(1 + k) << rho * std::cos(tau * k / 5), rho * std::sin(tau * k / 5), z;
    corner.col(6 + k) << rho * std::cos(tau * (k + 0.5) / 5), rho * std::sin(tau * (k + 0.5) / 5), -z;
  }
  std::vector<std::array<int, 3>> triangles;
  for (int k = 0; k < 5; ++k) {
    const int next = (k + 1) % 5;
    triangles.push_back({0, 1 + k, 1 + next});
    triangles.push_back({1 + k, 6 + k, 1 + next});
    triangles.push_back({1 + next, 6 + k, 6 + next});
    triangles.push_back({11, 6 + next, 6 + k});
  }

  // Lattice points are identified by their weights at the corners, so that a point on an edge is the same for both
  // faces.
  const Index n = shape.segments;
  std::map<std::map<int, Index>, Index> number_of;
  std::vector<Vec3> points;
  const auto vertex = [&](const std::array<int, 3>& t, Index i, Index j) {
    const std::array<Index, 3> weight{n - i - j, i, j};
    std::map<int, Index> key;
    for (std::size_t c = 0; c < 3; ++c)
      if (weight[c] > 0) key[t[c]] = weight[c];
    const auto [place, is_new] = number_of.try_emplace(key, static_cast<Index>(points.size()));
    if (is_new) {
      Vec3 sum = Vec3::Zero();
      for (const auto& [c, w] : key) sum += static_cast<double>(w) * corner.col(c);
      points.push_back(shape.radius * sum.normalized());
    }
    return place->second;
  };
  Mesh mesh;
  for (const auto& t : triangles)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; i + j < n; ++j) {
        mesh.faces.push_back({vertex(t, i, j), vertex(t, i + 1, j), vertex(t, i, j + 1)});
        if (i + j + 1 < n) mesh.faces.push_back({vertex(t, i + 1, j), vertex(t, i + 1, j + 1), vertex(t, i, j + 1)});
      }
  mesh.vertices.resize(3, points.size());
  for (std::size_t v = 0; v < points.size(); ++v) mesh.vertices.col(v) = points[v];
  mesh.vertex_groups["top"] = {number_of.at({{0, n}})};
  mesh.vertex_groups["bottom"] = {number_of.at({{11, n}})};
  SpringBuilder springs;
  springs.add_faces(mesh.faces);
  springs.give_to(mesh);
  return mesh;
}

Mesh make_grid(const GridShape& shape) {
  require_length(shape.size[0], "grid", "size[0]");
  require_length(shape.size[1], "grid", "size[1]");
  require_count(shape.segments[0], 1, "grid", "segments[0]");
  require_count(shape.segments[1], 1, "grid", "segments[1]");
  require_points({shape.segments[0]}, "grid", "segments[0]");
  require_points({shape.segments[1]}, "grid", "segments[1]");
  require_points({shape.segments[0] + 1, shape.segments[1] + 1}, "grid", "segments");
  const Index columns = shape.segments[0] + 1, rows = shape.segments[1] + 1;
  const auto vertex = [rows](Index a, Index b) { return a * rows + b; };

  Mesh mesh;
  mesh.vertices.resize(3, columns * rows);
  SpringBuilder springs;
  for (Index a = 0; a < columns; ++a)
    for (Index b = 0; b < rows; ++b) {
      const Index p = vertex(a, b);
      mesh.vertices.col(p) << shape.size[0] * (static_cast<double>(a) / static_cast<double>(columns - 1) - 0.5),
          shape.size[1] * (static_cast<double>(b) / static_cast<double>(rows - 1) - 0.5), 0;
      if (a == 0) mesh.vertex_groups["left"].push_back(p);
      if (a == columns - 1) mesh.vertex_groups["right"].push_back(p);
      if (b == 0) mesh.vertex_groups["bottom"].push_back(p);
      if (b == rows - 1) mesh.vertex_groups["top"].push_back(p);

      const bool right = a + 1 < columns, up = b + 1 < rows;
      if (right) springs.add(p, vertex(a + 1, b), "stretch");
      if (up) springs.add(p, vertex(a, b + 1), "stretch");
      if (right && up) mesh.faces.push_back({p, vertex(a + 1, b), vertex(a + 1, b + 1), vertex(a, b + 1)});
      if (shape.shear && right && up) {
        springs.add(p, vertex(a + 1, b + 1), "shear");
        springs.add(vertex(a + 1, b), vertex(a, b + 1), "shear");
      }
      if (shape.bend && a + 2 < columns) springs.add(p, vertex(a + 2, b), "bend");
      if (shape.bend && b + 2 < rows) springs.add(p, vertex(a, b + 2), "bend");
    }
  const Index right = columns - 1, top = rows - 1;
  mesh.vertex_groups["bottom_left"] = {vertex(0, 0)};
  mesh.vertex_groups["top_left"] = {vertex(0, top)};
  mesh.vertex_groups["bottom_right"] = {vertex(right, 0)};
  mesh.vertex_groups["top_right"] = {vertex(right, top)};
  mesh.vertex_groups["corners"] = {vertex(0, 0), vertex(0, top), vertex(right, 0), vertex(right, top)};
  springs.give_to(mesh);
  return mesh;
}

Mesh make_chain(const ChainShape& shape) {
  require_length(shape.length, "chain", "length");
  require_count(shape.segments, 1, "chain", "segments");
  require_points({shape.segments}, "chain", "segments");
  require_direction(shape.axis, "chain", "axis");
  Mesh mesh;
  mesh.vertices.resize(3, shape.segments + 1);
  SpringBuilder springs;
  for (Index k = 0; k <= shape.segments; ++k) {
    const double along = shape.length * k / shape.segments;
    mesh.vertices.col(k) = shape.origin + along * shape.axis.normalized();
    if (k > 0) springs.add(k - 1, k, "link");
  }
  mesh.vertex_groups["top"] = {0};
  mesh.vertex_groups["bottom"] = {shape.segments};
  springs.give_to(mesh);
  return mesh;
}

namespace {

/// Returns rings along an axis; `braced`: with springs between all pairs of points of a ring, not only between
/// neighbors.
Mesh make_prism(const BeamShape& shape, const char* name, bool braced) {
  require_length(shape.radius, name, "radius");
  require_count(shape.sides, 3, name, "sides");
  require_direction(shape.axis, name, "axis");
  std::vector<double> positions = shape.ring_positions;
  if (positions.empty()) {
    require_length(shape.length, name, "length");
    require_count(shape.segments, 1, name, "segments");
    require_points({shape.segments}, name, "segments");
    for (Index r = 0; r <= shape.segments; ++r) positions.push_back(shape.length * r / shape.segments);
  }
  require(positions.size() >= 2 && positions[0] == 0, name, "ring_positions",
          "must start at 0 and name two rings or more", std::to_string(positions.size()) + " numbers",
          "list distances from the first ring, such as [0, 0.1, 0.3]");
  for (std::size_t r = 1; r < positions.size(); ++r)
    require(std::isfinite(positions[r]) && positions[r] > positions[r - 1], name, "ring_positions",
            "must increase strictly", std::to_string(positions[r]), "sort the distances and remove repeated ones");
  const Vec3 along = shape.axis.normalized();
  const Vec3 across = shape.side - shape.side.dot(along) * along;
  require(shape.side.allFinite() && across.norm() > 1e-9 * shape.side.norm(), name, "side",
          "must not be parallel to the axis", "", "give another direction for the first side");
  const Vec3 u = across.normalized(), w = along.cross(u);

  const Index n = shape.sides, rings = positions.size();
  require_points({rings, n}, name, "sides");
  require_product({rings, n, (n + 5) / 2}, most_springs, "springs", name, "sides");
  const auto vertex = [n](Index r, Index s) { return r * n + s % n; };
  Mesh mesh;
  mesh.vertices.resize(3, rings * n);
  SpringBuilder springs;
  for (Index r = 0; r < rings; ++r)
    for (Index s = 0; s < n; ++s) {
      const double angle = tau * s / n;
      const double distance = positions[r];
      mesh.vertices.col(vertex(r, s)) =
          shape.origin + distance * along + shape.radius * (std::cos(angle) * u + std::sin(angle) * w);
      mesh.vertex_groups[ring_name(r)].push_back(vertex(r, s));
      if (!braced) springs.add(vertex(r, s), vertex(r, s + 1), "ring");
      for (Index other = s + 1; braced && other < n; ++other) springs.add(vertex(r, s), vertex(r, other), "ring");
      if (r + 1 == rings) continue;
      springs.add(vertex(r, s), vertex(r + 1, s), "longitudinal");
      springs.add(vertex(r, s), vertex(r + 1, s + 1), "diagonal");
      if (shape.diagonals == Diagonals::Both) springs.add(vertex(r, s + 1), vertex(r + 1, s), "diagonal");
      mesh.faces.push_back({vertex(r, s), vertex(r, s + 1), vertex(r + 1, s + 1), vertex(r + 1, s)});
    }
  mesh.vertex_groups["top"] = mesh.vertex_groups[ring_name(0)];
  mesh.vertex_groups["bottom"] = mesh.vertex_groups[ring_name(rings - 1)];
  springs.give_to(mesh);
  return mesh;
}

}  // namespace

Mesh make_beam(const BeamShape& shape) { return make_prism(shape, "beam", true); }

Mesh make_tube(const BeamShape& shape) { return make_prism(shape, "tube", false); }

Mesh make_random_cloud(const RandomCloudShape& shape) {
  require_count(shape.count, 1, "random_cloud", "count");
  require_points({shape.count}, "random_cloud", "count");
  require(shape.min.allFinite() && shape.max.allFinite() && (shape.min.array() < shape.max.array()).all(),
          "random_cloud", "box", "must have min < max in every component", "", "give two opposite corners");
  // The engine generates the same numbers everywhere; the distributions of the standard library do not.
  std::mt19937_64 engine(shape.seed);
  const auto uniform = [&engine] { return (engine() >> 11) * 0x1p-53; };
  Mesh mesh;
  mesh.vertices.resize(3, shape.count);
  for (Index v = 0; v < shape.count; ++v)
    for (Index a = 0; a < 3; ++a) mesh.vertices(a, v) = shape.min[a] + (shape.max[a] - shape.min[a]) * uniform();
  return mesh;
}

Mesh make_lattice(const LatticeShape& shape) {
  require(shape.spacing > 0 && std::isfinite(shape.spacing), "lattice", "spacing", "must be > 0 m",
          std::to_string(shape.spacing), "give the distance of nearest neighbors");
  require(shape.min.allFinite() && shape.max.allFinite() && (shape.min.array() <= shape.max.array()).all(), "lattice",
          "box", "must have min <= max in every component", "", "give two opposite corners");
  const bool centered = shape.kind == LatticeShape::Kind::FaceCenteredCubic;
  const double cell = centered ? shape.spacing * std::sqrt(2.0) : shape.spacing;
  // Points of a cell in units of its side, relative to its lower corner; their mean is the center of the cell.
  std::vector<Vec3> basis{Vec3::Constant(0.5)};
  if (centered) basis = {{0.25, 0.25, 0.25}, {0.75, 0.75, 0.25}, {0.75, 0.25, 0.75}, {0.25, 0.75, 0.75}};
  const Vec3 extent = shape.max - shape.min, middle = (shape.min + shape.max) / 2;
  require(!centered || (extent.array() > 0).all(), "lattice", "box", "must have an extent along every axis for fcc", "",
          "use kind: cubic for a layer");
  std::array<Index, 3> cells{};
  double points = basis.size();
  for (int a = 0; a < 3; ++a) {
    points *= std::max(1.0, std::round(extent[a] / cell));
    require(points <= most_points, "lattice", "spacing",
            ("must give at most " + std::to_string(most_points) + " points").c_str(), "more",
            "enlarge it, or make the box smaller");
    cells[a] = std::max<Index>(1, std::lround(extent[a] / cell));
  }
  std::vector<Vec3> places;
  for (Index i = 0; i < cells[0]; ++i)
    for (Index j = 0; j < cells[1]; ++j)
      for (Index k = 0; k < cells[2]; ++k)
        for (const Vec3& point : basis) {
          const Vec3 count(cells[0], cells[1], cells[2]);
          const Vec3 index(i, j, k);
          const Vec3 place = middle + cell * (index + point - count / 2);
          if (shape.radius > 0 && (place - middle).norm() > shape.radius) continue;
          places.push_back(place);
        }
  require(!places.empty(), "lattice", "radius", "must leave at least one point", std::to_string(shape.radius),
          "enlarge it, or make the spacing smaller");
  Mesh mesh;
  mesh.vertices.resize(3, places.size());
  for (std::size_t v = 0; v < places.size(); ++v) mesh.vertices.col(v) = places[v];
  return mesh;
}

}  // namespace pithball::datasets
