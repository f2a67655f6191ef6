#include "optim/observation/marker_tracks.hpp"

#include <cmath>
#include <random>

#include "tests/support/catch.hpp"

using namespace pithball::optim;
using pithball::sim::flat;

namespace {

Vec3 place_of(const Points& vertices, const Attachment& attachment) {
  Vec3 x = Vec3::Zero();
  for (const auto& [vertex, weight] : attachment.vertices) x += weight * vertices.col(vertex);
  return x;
}

}  // namespace

TEST_CASE("attachment: the nearest vertex, and how far it is", "[optim][attachment]") {
  Points x(3, 3);
  x << 0, 1, 2, 0, 0, 0, 0, 0, 0;
  const Attachment found = attach_to_vertex(x, Vec3(1.2, 0.3, 0.4));
  CHECK(found.vertices == std::vector<std::pair<Index, double>>{{1, 1.0}});
  CHECK(found.distance == Approx(std::sqrt(0.29)));
}

TEST_CASE("attachment: inside, edge and corner of a triangle, and both halves of a square", "[optim][attachment]") {
  Points x(3, 4);
  x << 0, 2, 2, 0, 0, 0, 2, 2, 0, 0, 0, 0;
  const std::vector<std::vector<Index>> square{{0, 1, 2, 3}};
  Attachment found = *attach_to_face(x, square, Vec3(1.5, 0.5, 0.7));
  CHECK(found.distance == Approx(0.7));
  CHECK(place_of(x, found).isApprox(Vec3(1.5, 0.5, 0)));
  CHECK(found.vertices.size() == 3);
  found = *attach_to_face(x, square, Vec3(0.5, 1.5, -0.1));
  CHECK(place_of(x, found).isApprox(Vec3(0.5, 1.5, 0)));
  CHECK(found.vertices[2].first == 3);
  found = *attach_to_face(x, square, Vec3(1, -3, 4));  // beside an edge
  CHECK(found.distance == Approx(5));
  CHECK(found.vertices == std::vector<std::pair<Index, double>>{{0, 0.5}, {1, 0.5}});
  found = *attach_to_face(x, square, Vec3(5, 6, 0));  // beyond a corner
  CHECK(found.vertices == std::vector<std::pair<Index, double>>{{2, 1.0}});
  CHECK(found.distance == Approx(5));
  CHECK(!attach_to_face(x, {}, Vec3(0, 0, 0)));
  CHECK(!attach_to_face(x, {{0, 1}}, Vec3(0, 0, 0)));
}

TEST_CASE("attachment: no point of the triangle is nearer, wherever the marker is", "[optim][attachment]") {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 200; ++trial) {
    Points x(3, 3);
    for (double& value : flat(x)) value = normal(random);
    const Vec3 p(2 * normal(random), 2 * normal(random), 2 * normal(random));
    const Attachment found = *attach_to_face(x, {{0, 1, 2}}, p);
    double sum = 0;
    for (const auto& [vertex, weight] : found.vertices) {
      CHECK(weight > 0);
      sum += weight;
    }
    CHECK(sum == Approx(1).epsilon(1e-13));
    CHECK((place_of(x, found) - p).norm() == Approx(found.distance));
    // A fine grid over the triangle: it comes no nearer, and comes as near up to its spacing.
    double grid = INFINITY;
    for (int i = 0; i <= 60; ++i)
      for (int j = 0; i + j <= 60; ++j) grid = std::min(grid, (x * Vec3(i, j, 60 - i - j) / 60.0 - p).norm());
    CHECK(found.distance <= grid + 1e-12);
    CHECK(grid <= found.distance + 0.1);
  }
}
