#include "datasets/mesh/mesh_division.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

constexpr double fewest = 100, most = 1e6;

void require_length(double value, const char* key) {
  if (!std::isfinite(value) || value <= 0)
    throw InvalidArgument({"", key, "must be finite and > 0 m", std::to_string(value), "give a positive length"});
}

}  // namespace

Mesh divided(const Division& division, double area, const std::function<Mesh(double)>& make) {
  require_length(division.size, "size");
  if (division.edge_length) require_length(*division.edge_length, "edge_length");
  // A vertex is surrounded by six triangles of area √3/4 l², each shared with two others: n = 2 area / (√3 l²).
  const double unit = 2 * area / std::numbers::sqrt3;
  const double wanted = division.edge_length ? unit / std::pow(*division.edge_length, 2) : division.vertices;
  if (!(wanted >= fewest && wanted <= most))
    throw InvalidArgument({"", division.edge_length ? "edge_length" : "vertices", "must give 100 to a million vertices",
                           "about " + std::to_string(std::llround(std::min(wanted, 1e18))),
                           "a size of " + std::to_string(division.size) + " m goes with edges of " +
                               std::to_string(std::sqrt(unit / most)) + " to " +
                               std::to_string(std::sqrt(unit / fewest)) + " m"});
  double edge = std::sqrt(unit / wanted), least = std::numeric_limits<double>::infinity();
  Mesh best;
  for (int trial = 0; trial < 5 && least > 0.02; ++trial) {
    Mesh mesh = make(edge);
    const double missed = division.edge_length ? mesh.spring_lengths().mean() / *division.edge_length
                                               : std::sqrt(wanted / mesh.vertices.cols());
    edge /= missed;
    if (std::abs(missed - 1) < least) {
      least = std::abs(missed - 1);
      best = std::move(mesh);
    }
  }
  return best;
}

}  // namespace pithball::datasets
