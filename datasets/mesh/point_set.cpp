#include "datasets/mesh/point_set.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "datasets/mesh/mesh_generator.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

using sim::Points;
using sim::Vector;

/// Numbers that do not depend on the standard library: the engine is standardized, the distributions are not.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : engine_(seed) {}
  /// Uniform in (0, 1).
  double uniform() { return ((engine_() >> 11) + 0.5) * 0x1p-53; }
  /// Uniform in (−1, 1).
  double symmetric() { return 2 * uniform() - 1; }
  /// Three standard normal numbers (Box and Muller 1958).
  Vec3 normals() {
    Vec3 result;
    for (double& a : result) {
      const double radius = std::sqrt(-2 * std::log(uniform()));
      a = radius * std::cos(2 * std::numbers::pi * uniform());
    }
    return result;
  }

 private:
  std::mt19937_64 engine_;
};

Points torus(Index n, std::uint64_t) {
  const auto even = static_cast<Index>(std::lround(std::sqrt(3.0 / 7.0 * n)));
  Index tube = std::max<Index>(even, 3);
  for (const Index near : {tube + 1, tube - 1})
    if (n % tube != 0 && near >= 3 && n % near == 0) tube = near;  // the n of a torus gives that torus again
  const TorusShape shape{.segments = {std::max<Index>(n / tube, 3), tube}};
  Points x(3, shape.segments[0] * shape.segments[1]);
  for (Index a = 0; a < shape.segments[0]; ++a)
    for (Index b = 0; b < tube; ++b) x.col(a * tube + b) = torus_vertex(shape, a, b);
  return x;
}

Points sphere(Index n, std::uint64_t) {
  const double golden_angle = std::numbers::pi * (3 - std::sqrt(5.0));
  Points x(3, n);
  for (Index i = 0; i < n; ++i) {
    const double z = 1 - (2 * static_cast<double>(i) + 1) / static_cast<double>(n), rho = std::sqrt(1 - z * z);
    const double angle = golden_angle * i;
    x.col(i) << rho * std::cos(angle), rho * std::sin(angle), z;
  }
  return x;
}

Points cloth(Index n, std::uint64_t) {
  auto side = static_cast<Index>(std::sqrt(n) + 1e-9);
  const double spacing = 1 / static_cast<double>(std::max<Index>(side - 1, 1));
  Points x(3, side * side);
  for (Index a = 0; a < side; ++a)
    for (Index b = 0; b < side; ++b) {
      const double u = a * spacing, v = b * spacing;
      x.col(a * side + b) << u, v, 0.1 * std::sin(3 * u + 0.5) * std::cos(2 * v);
    }
  return x;
}

Points cube(Index n, std::uint64_t seed) {
  return n == 0 ? Points(3, 0) : make_random_cloud({.count = n, .seed = seed}).vertices;
}

Points lattice(Index n, std::uint64_t seed) {
  Numbers numbers(seed);
  const auto side = static_cast<Index>(std::ceil(std::cbrt(n) - 1e-9));
  const double spacing = 2 / static_cast<double>(std::max<Index>(side, 1));
  Points x(3, n);
  for (Index i = 0; i < n; ++i) {
    const Index cell[] = {i / (side * side), i / side % side, i % side};
    for (Index a = 0; a < 3; ++a) x(a, i) = spacing * (cell[a] + 0.5 + 0.2 * numbers.symmetric()) - 1;
  }
  return x;
}

Points clustered(Index n, std::uint64_t seed) {
  Numbers numbers(seed);
  constexpr Index blobs = 20;
  Points center(3, blobs);
  for (double& a : center.reshaped()) a = numbers.symmetric();
  Points x(3, n);
  const Index cusp = n / 10;
  for (Index i = 0; i < n; ++i) {
    if (i < cusp) {
      // A fraction √r of the points lies within r of the center, so that the density falls as r^−5/2.
      x.col(i) = std::pow(numbers.uniform(), 2) * numbers.normals().normalized();
    } else {
      const Index blob = i % blobs;
      const double size = std::pow(10.0, -4 * static_cast<double>(blob) / (blobs - 1));
      x.col(i) = center.col(blob) + size * numbers.normals();
    }
  }
  return x;
}

struct Generator {
  PointSetInfo info;
  Points (*make)(Index n, std::uint64_t seed);
};

const std::vector<Generator>& generators() {
  static const std::vector<Generator> all{
      {{"torus", "quasi-uniform mesh of a torus"}, torus},
      {{"sphere", "Fibonacci's spiral on a sphere"}, sphere},
      {{"cloth", "square grid, slightly curved"}, cloth},
      {{"cube", "random points in a cube"}, cube},
      {{"lattice", "jittered cubic lattice"}, lattice},
      {{"clustered", "blobs of very different sizes and a cusp"}, clustered},
  };
  return all;
}

}  // namespace

const std::vector<PointSetInfo>& point_sets() {
  static const std::vector<PointSetInfo> infos = [] {
    std::vector<PointSetInfo> result;
    for (const Generator& generator : generators()) result.push_back(generator.info);
    return result;
  }();
  return infos;
}

Points make_point_set(const std::string& name, Index n, std::uint64_t seed) {
  if (n < 0 || n > most_points)
    throw InvalidArgument({name, "points", "must be a number from 0 to " + std::to_string(most_points),
                           std::to_string(n), "give another number"});
  std::string names;
  for (const Generator& generator : generators()) {
    if (generator.info.name == name) return generator.make(n, seed);
    names += (names.empty() ? "" : ", ") + generator.info.name;
  }
  throw InvalidArgument({"", "point set", "must be one of " + names, name, "choose one of them"});
}

const std::vector<std::string>& charge_kinds() {
  static const std::vector<std::string> kinds{"one", "mixed", "neutral"};
  return kinds;
}

Vector make_charges(const std::string& kind, Index n, std::uint64_t seed) {
  if (std::find(charge_kinds().begin(), charge_kinds().end(), kind) == charge_kinds().end())
    throw InvalidArgument({"", "charges", "must be one, mixed or neutral", kind, "choose one of them"});
  Numbers numbers(seed + 1000);  // a different stream from that of the points
  Vector q(n);
  for (double& value : q) {
    const double size = 0.5 + numbers.uniform(), sign = numbers.uniform() < 0.5 ? -1 : 1;
    value = 1e-6 * size * (kind == "one" ? 1 : sign);
  }
  if (kind == "neutral" && n > 0) q.array() -= q.mean();
  return q;
}

}  // namespace pithball::datasets
