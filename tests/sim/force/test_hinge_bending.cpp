#include "sim/force/hinge_bending.hpp"

#include <Eigen/Geometry>

#include "tests/support/catch.hpp"
#include "tests/support/lone_force.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

/// Two triangles at an edge of 2 m along y, of heights 1 m and 3 m, the second turned by θ about the edge.
Points wings(double theta) {
  return columns({{0, 0, 0}, {0, 2, 0}, {-1, 0.5, 0}, {3 * std::cos(theta), 1.7, 3 * std::sin(theta)}});
}
const std::vector<std::vector<Index>> wing_faces{{0, 1, 2}, {1, 0, 3}};

Model hinge(const Points& rest, bool flat, double stiffness = 5) {
  return {{.particles = 4, .springs = {}, .held = {}},
          all(4, 1),
          all(4, 0),
          {std::make_shared<HingeBending>(stiffness, Polygons{rest, wing_faces}, flat)}};
}

}  // namespace

TEST_CASE("hinge_bending: the energy is that of its equation, on both sides and near both ends of the angle",
          "[sim][force]") {
  const double weight = 4 / (1.0 + 3.0);  // |e|²/(A₁ + A₂)
  const Model flat = hinge(wings(0), false);
  for (const double theta : {-3.1, -1.0, -1e-5, 1e-5, 0.4, 2.0, 3.14}) {
    INFO(theta);
    CHECK(energy_at(flat, wings(theta)) == Approx(2.5 * weight * theta * theta).epsilon(1e-11));
    // Turned about the edge by the force at the tip, whose lever is the height.
    const Vec3 across(-std::sin(theta), 0, std::cos(theta));
    CHECK(force_at(flat, wings(theta)).col(3).dot(across) == Approx(-5 * weight * theta / 3).epsilon(1e-9));
  }
  // Forces across the sides at a small angle are −D w θ times the slope of the angle.
  const HingeBending law(5, Polygons{wings(0), wing_faces}, false);
  REQUIRE(law.angles().size() == 1);
  const auto& angle = law.angles()[0];
  const Points force = force_at(flat, wings(1e-6));
  for (Index c = 0; c < 4; ++c) {
    INFO("corner " << c);
    CHECK(std::abs(force(2, angle.particles[c])) == Approx(5 * weight * 1e-6 * std::abs(angle.lever[c])).epsilon(1e-5));
    CHECK(force(2, angle.particles[c]) * angle.lever[c] * (force(2, 0) * angle.lever[0]) > 0);
  }
  CHECK(energy_at(hinge(wings(0.9), true), wings(0.4)) == Approx(2.5 * weight * 0.16).epsilon(1e-12));
  const Model bent = hinge(wings(0.9), false);
  CHECK(energy_at(bent, wings(0.9)) < 1e-28);
  CHECK(energy_at(bent, wings(-0.3)) == Approx(2.5 * weight * 1.44).epsilon(1e-12));
  // Around the half turn the shorter way counts.
  CHECK(energy_at(hinge(wings(3.1), false), wings(-3.1)) ==
        Approx(2.5 * weight * std::pow(2 * M_PI - 6.2, 2)).epsilon(1e-9));
}

TEST_CASE("hinge_bending: rigid motions and the order of corners cost nothing", "[sim][force]") {
  const Mat3 rotation = Eigen::AngleAxisd(0.9, Vec3(1, 2, -2).normalized()).toRotationMatrix();
  const Points moved = (rotation * wings(0.8)).colwise() + Vec3(3, -4, 5);
  const Model flat = hinge(wings(0), false);
  CHECK(energy_at(flat, moved) == Approx(energy_at(flat, wings(0.8))).epsilon(1e-13));
  CHECK((force_at(flat, moved) - rotation * force_at(flat, wings(0.8))).norm() < 1e-13 * force_at(flat, moved).norm());
  CHECK(force_at(hinge(wings(0.8), false), moved).norm() < 1e-13 * force_at(flat, moved).norm());
  for (const auto& faces : {std::vector<std::vector<Index>>{{1, 2, 0}, {0, 3, 1}}, {{0, 2, 1}, {1, 0, 3}}}) {
    const Model other({.particles = 4, .springs = {}, .held = {}}, all(4, 1), all(4, 0),
                      {std::make_shared<HingeBending>(5, Polygons{wings(0), faces}, false)});
    CHECK((force_at(other, moved) - force_at(flat, moved)).norm() < 1e-13 * force_at(flat, moved).norm());
  }
}

TEST_CASE("hinge_bending: a sheet bent to a cylinder has the energy D κ²/2 per area", "[sim][force]") {
  // A grid of right triangles, whose edges across the bend carry all of it.
  const Index n = 40, m = 3;
  const double a = 0.05, radius = 4;
  Points flat(3, (n + 1) * (m + 1)), bent = flat;
  std::vector<std::vector<Index>> faces;
  const auto at = [&](Index i, Index j) { return i * (m + 1) + j; };
  for (Index i = 0; i <= n; ++i)
    for (Index j = 0; j <= m; ++j) {
      flat.col(at(i, j)) = Vec3(i * a, j * a, 0);
      const double arc = 2 * std::asin(a / (2 * radius)) * i;  // chords of length a
      bent.col(at(i, j)) = Vec3(radius * std::sin(arc), j * a, radius * (1 - std::cos(arc)));
      if (i < n && j < m) faces.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  const HingeBending sheet(7, {flat, faces}, false);
  const Model model({.particles = flat.cols(), .springs = {}, .held = {}}, all(flat.cols(), 1), all(flat.cols(), 0),
                    {std::make_shared<HingeBending>(sheet)});
  const double area = (n - 1) * a * m * a;  // of the n − 1 rows of edges, each with half a row on both sides
  CHECK(energy_at(model, flat) == 0);
  CHECK(energy_at(model, bent) == Approx(7 / (2 * radius * radius) * area).epsilon(1e-4));  // (a/radius)² in the angle
}

TEST_CASE("hinge_bending: surfaces without hinges, areas or order are rejected", "[sim][force][error]") {
  const auto make = [](const Points& x, std::vector<std::array<Index, 3>> triangles) {
    MapSettings settings(x.cols(), {{"stiffness", 1.0}, {"body", Surface{x, std::move(triangles)}}});
    return HingeBending::make(settings);
  };
  CHECK_THROWS_WITH(make(wings(0), {{0, 1, 2}}), Catch::Contains("two faces at an edge"));
  CHECK_THROWS_WITH(make(wings(0), {{0, 1, 2}, {1, 0, 3}, {0, 1, 3}}), Catch::Contains("at most two triangles"));
  CHECK_THROWS_WITH(make(columns({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}}), {{0, 1, 2}, {1, 0, 3}}),
                    Catch::Contains("faces with an area"));
  Points line = wings(0);
  line.col(3) = Vec3(0, 5, 0);
  CHECK_THROWS_WITH(hinge(wings(0), false).validate({0, line, Points::Zero(3, 4)}),
                    Catch::Contains("particles 0, 1, 2, 3"));
}
