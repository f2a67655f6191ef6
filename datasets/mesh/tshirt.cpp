#include "datasets/mesh/tshirt.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "datasets/mesh/mesh_springs.hpp"
#include "datasets/mesh/planar_mesh.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

using Eigen::Vector2d;

// The right half of the pattern; the left half is its mirror image. Lengths are fractions of the width from sleeve end
// to sleeve end; the hem is at height 0.
const Vector2d hem(0.28, 0), armpit(0.29, 0.52), sleeve_bottom(0.38, 0.43), sleeve_top(0.5, 0.59), shoulder(0.24, 0.79),
    neck(0.105, 0.835);
constexpr double front_neck_depth = 0.115, back_neck_depth = 0.03;

PlanarPoints line(std::initializer_list<Vector2d> points) {
  PlanarPoints made(2, static_cast<Index>(points.size()));
  Index k = 0;
  for (const Vector2d& p : points) made.col(k++) = p;
  return made;
}

PlanarPoints mirrored(PlanarPoints points) {
  points.row(0) *= -1;
  return points;
}

/// Returns a parabola that connects the ends of the neck and reaches `depth` below them.
PlanarPoints neckline(double depth) {
  constexpr int parts = 64;  // fine compared to any edge; `resampled` thins it out
  PlanarPoints curve(2, parts + 1);
  for (int k = 0; k <= parts; ++k) {
    const double t = 2.0 * k / parts - 1;
    curve.col(k) << neck[0] * t, neck[1] - depth * (1 - t * t);
  }
  return curve;
}

/// Returns the height of a polyline at x; infinite beyond its ends. Its points are sorted by x.
double height_at(const PlanarPoints& polyline, double x) {
  for (Index k = 0; k + 1 < polyline.cols(); ++k)
    if (polyline(0, k) <= x && x <= polyline(0, k + 1)) {
      const double t = (x - polyline(0, k)) / (polyline(0, k + 1) - polyline(0, k));
      return (1 - t) * polyline(1, k) + t * polyline(1, k + 1);
    }
  return std::numeric_limits<double>::infinity();
}

/// Returns evenly spaced points on a curve, about `edge` apart, ends included.
PlanarPoints resampled(const PlanarPoints& curve, double edge) {
  std::vector<double> arc{0};
  for (Index k = 0; k + 1 < curve.cols(); ++k) arc.push_back(arc.back() + (curve.col(k + 1) - curve.col(k)).norm());
  const Index parts = std::max<Index>(2, std::lround(arc.back() / edge));
  PlanarPoints even(2, parts + 1);
  std::size_t k = 0;
  for (Index n = 0; n <= parts; ++n) {
    const double s = arc.back() * n / parts;
    while (k + 2 < arc.size() && arc[k + 1] < s) ++k;
    const double t = std::min(1.0, (s - arc[k]) / (arc[k + 1] - arc[k]));
    const Index c = k;
    even.col(n) = (1 - t) * curve.col(c) + t * curve.col(c + 1);
  }
  even.col(0) = curve.col(0);
  even.col(parts) = curve.col(curve.cols() - 1);
  return even;
}

double distance(const Vector2d& x, const PlanarPoints& polyline) {
  double least = std::numeric_limits<double>::infinity();
  for (Index k = 0; k + 1 < polyline.cols(); ++k) {
    const Vector2d a = polyline.col(k), side = polyline.col(k + 1) - a;
    const double t = std::clamp((x - a).dot(side) / side.squaredNorm(), 0.0, 1.0);
    least = std::min(least, (x - a - t * side).norm());
  }
  return least;
}

double distance(const Vector2d& x, const std::vector<PlanarPoints>& polylines) {
  double least = std::numeric_limits<double>::infinity();
  for (const PlanarPoints& polyline : polylines) least = std::min(least, distance(x, polyline));
  return least;
}

/// The lines of the pattern, as fractions of its width.
struct Pattern {
  PlanarPoints top = line({neck, shoulder, sleeve_top}), side = line({sleeve_bottom, armpit, hem});
  std::vector<PlanarPoints> seams{top, mirrored(top), side, mirrored(side)};
  std::vector<PlanarPoints> shoulders{line({neck, shoulder}), mirrored(line({neck, shoulder}))};
  PlanarPoints right_sleeve_end = line({sleeve_top, sleeve_bottom}), left_sleeve_end = mirrored(right_sleeve_end);
  PlanarPoints hem_line = line({hem, Vector2d(-hem[0], 0)});

  /// Area of front and back together, as if both had straight necks.
  double area() const {
    const Vector2d corners[] = {hem, armpit, sleeve_bottom, sleeve_top, shoulder, neck, {0, neck[1]}, {0, 0}};
    double half = 0;
    for (std::size_t k = 0; k < std::size(corners); ++k) {
      const Vector2d &a = corners[k], &b = corners[(k + 1) % std::size(corners)];
      half += (a[0] * b[1] - a[1] * b[0]) / 2;
    }
    return 4 * half;
  }
};

/// Returns the sewn shirt with edges of about `edge`, in fractions of the width; its edges are its springs. At this
/// stage, the y of a vertex is ∓ its distance from the nearest seam in the pattern.
Mesh sewn(const Pattern& pattern, double edge) {
  const PlanarPoints front_neck = resampled(neckline(front_neck_depth), edge),
                     back_neck = resampled(neckline(back_neck_depth), edge);
  std::vector<PlanarPoints> lines{front_neck, back_neck};
  for (const PlanarPoints& seam : pattern.seams) lines.push_back(divided_line(seam, 1.2 * edge));
  for (const PlanarPoints& end : {pattern.right_sleeve_end, pattern.left_sleeve_end, pattern.hem_line})
    lines.push_back(divided_line(end, 1.2 * edge));
  const PlanarMesh back = make_planar_mesh(lines, 1.5 * edge);

  // Vertices: those on seams once, the others once per panel.
  constexpr double same = 1e-9;  // of the width: far above rounding, far below an edge
  constexpr Index absent = -1;
  struct Twin {
    Index front = absent, back = absent;
  };
  std::vector<Twin> twins(back.points.cols());
  std::vector<Vec3> points;
  Mesh mesh;
  const auto add = [&](const Vector2d& x, double away, const char* panel) {
    const Index v = points.size();
    points.emplace_back(x[0], away, x[1]);
    mesh.vertex_groups[panel].push_back(v);
    const auto join = [&](const char* group, bool belongs) {
      if (belongs) mesh.vertex_groups[group].push_back(v);
    };
    const bool in_back = away >= 0, in_front = away <= 0;
    join("neck", (in_back && distance(x, back_neck) < same) || (in_front && distance(x, front_neck) < same));
    join("hem", distance(x, pattern.hem_line) < same);
    join("left_sleeve_end", distance(x, pattern.left_sleeve_end) < same);
    join("right_sleeve_end", distance(x, pattern.right_sleeve_end) < same);
    join("shoulders", away == 0 && distance(x, pattern.shoulders) < same);
    return v;
  };
  const auto place = [&](Index p, bool in_front) {
    const Vector2d x = back.points.col(p);
    Twin& twin = twins[p];
    const double away = distance(x, pattern.seams);
    if (away < same) {
      if (twin.front == absent) twin.front = twin.back = add(x, 0, "seams");
    } else if (in_front && twin.front == absent) {
      twin.front = add(x, -away, "front");
    } else if (!in_front && twin.back == absent) {
      twin.back = add(x, away, "back");
    }
    return in_front ? twin.front : twin.back;
  };
  for (const bool in_front : {true, false})
    for (const auto& [a, b, c] : back.triangles) {
      const Vector2d middle = (back.points.col(a) + back.points.col(b) + back.points.col(c)) / 3;
      if (in_front && middle[1] > height_at(front_neck, middle[0])) continue;
      const Index i = place(a, in_front), j = place(b, in_front), k = place(c, in_front);
      // Counter-clockwise in (x, z), as seen from −y.
      if (in_front)
        mesh.faces.push_back({i, j, k});
      else
        mesh.faces.push_back({i, k, j});
    }
  mesh.vertices.resize(3, points.size());
  for (std::size_t v = 0; v < points.size(); ++v) mesh.vertices.col(v) = points[v];
  SpringBuilder springs;
  springs.add_faces(mesh.faces);
  springs.give_to(mesh);
  return mesh;
}

/// Rejects meshes with an edge within a panel that runs from seam to seam: it would connect front and back.
void require_room(const Mesh& mesh) {
  std::map<std::pair<Index, Index>, int> faces_at;
  for (const auto& face : mesh.faces)
    for (std::size_t k = 0; k < 3; ++k)
      if (++faces_at[std::minmax(face[k], face[(k + 1) % 3])] > 2)
        throw InvalidArgument({"", "edges", "must be short enough for vertices between the seams of a sleeve", "none",
                               "increase vertices or reduce edge_length"});
}

/// Returns the lengths of all springs with the shirt unstitched and laid flat [m].
Eigen::VectorXd pattern_lengths(const Mesh& mesh) {
  const auto flat = [&](Index i, Index j) {
    return std::hypot(mesh.vertices(0, i) - mesh.vertices(0, j), mesh.vertices(2, i) - mesh.vertices(2, j));
  };
  std::map<std::pair<Index, Index>, double> length_of;
  for (const auto& [a, b, p, q] : find_hinges(mesh.faces))
    length_of.try_emplace({p, q}, unfolded_length(flat(a, b), flat(a, p), flat(b, p), flat(a, q), flat(b, q)));
  for (const Index s : mesh.spring_groups.at("edge")) {
    const auto& [i, j] = mesh.springs[s];
    length_of[{i, j}] = flat(i, j);
  }
  Eigen::VectorXd lengths(static_cast<Index>(mesh.springs.size()));
  for (Index s = 0; s < lengths.size(); ++s) {
    const auto& [i, j] = mesh.springs[s];
    lengths[s] = length_of.at({i, j});
  }
  return lengths;
}

}  // namespace

Mesh make_tshirt(const TshirtShape& shape) {
  if (!std::isfinite(shape.depth) || shape.depth <= 0)
    throw InvalidArgument({"", "depth", "must be finite and > 0 m", std::to_string(shape.depth), "give a length"});
  const Pattern pattern;
  const double size = shape.division.size;
  Mesh mesh = divided(shape.division, pattern.area() * size * size, [&](double edge) {
    Mesh made = sewn(pattern, edge / size);
    made.vertices *= size;
    made.vertices.row(1) = shape.depth * (made.vertices.row(1).array() / (3 * shape.depth)).tanh();
    return made;
  });
  require_room(mesh);
  if (shape.bend) mesh = with_bend_springs(std::move(mesh));
  mesh.pattern_lengths = pattern_lengths(mesh);
  mesh.vertices.row(2).array() -= (mesh.vertices.row(2).maxCoeff() + mesh.vertices.row(2).minCoeff()) / 2;
  return mesh;
}

}  // namespace pithball::datasets
