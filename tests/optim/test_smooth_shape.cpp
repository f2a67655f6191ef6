#include "optim/observation/smooth_shape.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using Catch::Contains;

namespace {

/// Rings of four points at distance 0.1 from the x axis, one ring every 0.1: particle 4r + s.
Points rod_of_rings(Index rings) {
  Points x(3, 4 * rings);
  for (Index r = 0; r < rings; ++r)
    for (Index s = 0; s < 4; ++s) {
      const double angle = M_PI / 2 * static_cast<double>(s);
      x.col(4 * r + s) = 0.1 * Vec3(static_cast<double>(r), std::cos(angle), std::sin(angle));
    }
  return x;
}

/// The mean of a ring.
Marker ring_marker(Index r) {
  Marker marker{"ring" + std::to_string(r), {}};
  for (Index s = 0; s < 4; ++s) marker.vertices.emplace_back(4 * r + s, 0.25);
  return marker;
}

std::vector<Marker> own_markers(const std::vector<Index>& particles) {
  std::vector<Marker> markers;
  for (const Index i : particles) markers.push_back({"p" + std::to_string(i), {{i, 1.0}}});
  return markers;
}

Points seen_of(const std::vector<Marker>& markers, const Points& x) {
  Points seen = Points::Zero(3, static_cast<Index>(markers.size()));
  for (std::size_t m = 0; m < markers.size(); ++m)
    for (const auto& [vertex, weight] : markers[m].vertices) seen.col(m) += weight * x.col(vertex);
  return seen;
}

double largest_distance(const Points& a, const Points& b) { return (a - b).colwise().norm().maxCoeff(); }

Points random_points(Index count, unsigned seed) {
  std::mt19937 random(seed);
  Points x(3, count);
  for (double& coordinate : x.reshaped()) coordinate = static_cast<double>(random()) / 4294967296.0;
  return x;
}

/// A rod of rings, bent into an arc that turns by `angle` over its length, its sections across it.
Points bent_rod(Index rings, double angle) {
  const Points rest = rod_of_rings(rings);
  const double radius = 0.1 * static_cast<double>(rings - 1) / angle;
  Points x(3, rest.cols());
  for (Index i = 0; i < x.cols(); ++i) {
    const double turned = rest(0, i) / radius, across = radius - rest(1, i);
    x.col(i) = Vec3(across * std::sin(turned), radius - across * std::cos(turned), rest(2, i));
  }
  return x;
}

const std::vector<Index> first_ring{0, 1, 2, 3};

}  // namespace

TEST_CASE("smooth_shape: an affine deflection and its velocities are found to rounding", "[optim][start]") {
  const Points rest = random_points(40, 1);
  const sim::Mat3 A = sim::Mat3::Identity() + 0.5 * sim::Mat3::Random();
  const Points deflected = (A * rest).colwise() + Vec3(3, -2, 1);
  const auto markers = own_markers({3, 7, 8, 15, 22, 31, 39});
  SmoothShape shape(rest, markers, {});
  REQUIRE(shape.pass_through(seen_of(markers, deflected)));
  CHECK(shape.dimensions() == 3);
  CHECK(largest_distance(shape.places(), deflected) < 1e-12);
  const Points rates = A.transpose() * rest;
  CHECK(largest_distance(shape.velocities(seen_of(markers, rates), Points::Zero(3, 40)), rates) < 1e-12);
}

TEST_CASE("smooth_shape: a body turns rigidly with markers on a line, and with markers in a plane", "[optim][start]") {
  const Points rest = rod_of_rings(8);
  const auto turned = [&](const Vec3& axis) {
    const sim::Mat3 turn = Eigen::AngleAxisd(1.1, axis.normalized()).toRotationMatrix();
    return Points((turn * rest).colwise() + Vec3(0.3, 0.2, -0.1));
  };
  const std::vector<Marker> line{ring_marker(0), ring_marker(3), ring_marker(7)};
  SmoothShape on_line(rest, line, {});
  REQUIRE(on_line.pass_through(seen_of(line, turned(Vec3(0, 1, 3)))));
  CHECK(on_line.dimensions() == 1);
  CHECK(on_line.has_offsets());
  CHECK(largest_distance(on_line.places(), turned(Vec3(0, 1, 3))) < 1e-12);
  const auto plane = own_markers({0, 2, 12, 14, 30});
  SmoothShape in_plane(rest, plane, {});
  REQUIRE(in_plane.pass_through(seen_of(plane, turned(Vec3(2, -1, 1)))));
  CHECK(in_plane.dimensions() == 2);
  CHECK(largest_distance(in_plane.places(), turned(Vec3(2, -1, 1))) < 1e-12);
}

TEST_CASE("smooth_shape: a rod held at one end bends as a cantilever whose tip is pushed",
          "[optim][start][reference]") {
  // Euler–Bernoulli: u(s) = d s² (3 − s)/2 for a force at the tip, s = x/length; cubic_smooth with a clamped end.
  const Points rest = rod_of_rings(11);
  const double d = 0.05;
  SmoothShape shape(rest, {ring_marker(10)}, first_ring);
  CHECK(shape.dimensions() == 1);
  REQUIRE(shape.pass_through(Vec3(1, d, 0)));
  const Points x = shape.places();
  CHECK(x.leftCols(4) == rest.leftCols(4));
  for (Index r = 1; r <= 10; ++r) {
    const double s = 0.1 * static_cast<double>(r), slope = d * s * (2 - s) * 1.5;
    const Vec3 center = x.middleCols<4>(4 * r).rowwise().mean(), across = x.col(4 * r) - center;
    CHECK((center - Vec3(s, d * s * s * (3 - s) / 2, 0)).norm() < 1e-13);
    CHECK(across.norm() == Approx(0.1).epsilon(1e-12));
    CHECK(std::abs(across.dot(Vec3(1, slope, 0))) < 1e-13);  // the section stays across the rod
  }
}

TEST_CASE("smooth_shape: five of the forty points of a bent rod give the others to two percent of its deflection",
          "[optim][start]") {
  const Points rest = rod_of_rings(10), bent = bent_rod(10, 0.8);
  const double deflection = largest_distance(rest, bent);
  REQUIRE(deflection > 0.3);
  const auto side = own_markers({7, 15, 23, 31, 39});
  SmoothShape shape(rest, side, first_ring);
  REQUIRE(shape.pass_through(seen_of(side, bent)));
  CHECK(shape.dimensions() == 1);
  CHECK(largest_distance(shape.places(), bent) < 0.02 * deflection);
  // Seen on opposite sides, the field is one in a plane, and less is known of the direction of sections.
  const auto sides = own_markers({7, 13, 23, 29, 39});
  SmoothShape other(rest, sides, first_ring);
  REQUIRE(other.pass_through(seen_of(sides, bent)));
  CHECK(largest_distance(other.places(), bent) < 0.1 * deflection);
}

TEST_CASE("smooth_shape: markers of several particles are where they are seen", "[optim][start]") {
  const Points rest = rod_of_rings(10), bent = bent_rod(10, 1.2);
  const std::vector<Marker> markers{ring_marker(4), {"face", {{20, 0.5}, {21, 0.3}, {24, 0.2}}}, {"tip", {{37, 1.0}}}};
  SmoothShape shape(rest, markers, first_ring);
  const Points seen = seen_of(markers, bent);
  REQUIRE(shape.pass_through(seen));
  CHECK(largest_distance(seen_of(markers, shape.places()), seen) < 1e-9);
}

TEST_CASE("smooth_shape: a marker slightly off the line of the others makes no slope across it", "[optim][start]") {
  Points rope(3, 21);
  for (Index i = 0; i < 21; ++i)
    rope.col(i) = Vec3(0, 1e-3 * static_cast<double>(i % 3), -0.05 * static_cast<double>(i));
  Points aside = rope;
  for (Index i = 0; i < 21; ++i) aside(0, i) = 0.3 * std::sin(2 * static_cast<double>(i) / 20);
  const auto markers = own_markers({5, 10, 16, 20});
  SmoothShape shape(rope, markers, {0});
  CHECK(shape.dimensions() == 1);
  REQUIRE(shape.pass_through(seen_of(markers, aside)));
  CHECK(largest_distance(shape.places(), aside) < 0.01);
}

TEST_CASE("smooth_shape: held particles apart from the markers extend their line to a plane", "[optim][start]") {
  Points cloth(3, 25);
  for (Index i = 0; i < 25; ++i) cloth.col(i) = Vec3(static_cast<double>(i % 5), static_cast<double>(i / 5), 0);
  const auto lower = own_markers({0, 2, 4});
  SmoothShape shape(cloth, lower, {20, 22, 24});
  CHECK(shape.dimensions() == 2);
  Points raised = seen_of(lower, cloth);
  raised.row(2).setConstant(0.4);
  REQUIRE(shape.pass_through(raised));
  const Points x = shape.places();
  for (Index i = 0; i < 25; ++i) CHECK(x(2, i) == Approx(0.1 * (4 - cloth(1, i))).margin(1e-13));
}

TEST_CASE("smooth_shape: the response is the derivative of the places, and the map of the velocities",
          "[optim][start][fd]") {
  const Points rest = rod_of_rings(6), bent = bent_rod(6, 0.9);
  std::vector<Marker> markers;
  SECTION("on a line") { markers = {ring_marker(2), ring_marker(4), ring_marker(5)}; }
  SECTION("in a plane") { markers = own_markers({4, 14, 22, 20}); }
  SmoothShape shape(rest, markers, first_ring);
  const Points seen = seen_of(markers, bent);
  REQUIRE(shape.pass_through(seen));
  const Eigen::MatrixXd response = shape.response();
  Points direction = random_points(seen.cols(), 2), ends[2];
  const double h = 1e-5;
  for (const int side : {0, 1}) {
    REQUIRE(shape.pass_through(seen + (side == 0 ? -h : h) * direction));
    ends[side] = shape.places();
  }
  const sim::Vector expected = (response * direction.reshaped()).eval();
  REQUIRE(expected.norm() > 0.1);
  CHECK((((ends[1] - ends[0]) / (2 * h)).reshaped() - expected).norm() < 1e-8 * expected.norm());
  REQUIRE(shape.pass_through(seen));
  const Points v = shape.velocities(direction, Points::Zero(3, rest.cols()));
  CHECK((v.reshaped() - expected).norm() < 1e-12 * expected.norm());
}

TEST_CASE("smooth_shape: a driven end moves with its own velocity", "[optim][start]") {
  const Points rest = rod_of_rings(6);
  SmoothShape shape(rest, {ring_marker(5)}, first_ring);
  REQUIRE(shape.pass_through(seen_of({ring_marker(5)}, rest)));
  Points given = Points::Zero(3, rest.cols());
  given.leftCols(4).colwise() = Vec3(0.1, 0.2, 0.3);
  const Points v = shape.velocities(Vec3(0.1, 0.2, 0.3), given);
  CHECK(largest_distance(v, Vec3(0.1, 0.2, 0.3).replicate(1, rest.cols())) < 1e-13);
}

TEST_CASE("smooth_shape: too few or coinciding places are rejected", "[optim][start][error]") {
  const Points rest = rod_of_rings(6);
  CHECK_THROWS_WITH(SmoothShape(rest, own_markers({4}), {}), Contains("requires two places of the body"));
  CHECK_THROWS_WITH(SmoothShape(rest, own_markers({4, 8, 4}), {}), Contains("'p4' and 'p4' at one"));
  CHECK_THROWS_WITH(SmoothShape(rest, {ring_marker(2), {"half", {{4, 0.5}}}}, {}), Contains("add up to 1"));
}
