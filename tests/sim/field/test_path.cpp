#include "sim/field/path.hpp"

#include <limits>

#include "sim/core/error.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using sim::Path;
using sim::Vec3;

namespace {

const std::vector<double> uneven_times{-1.0, -0.4, 0.1, 0.9, 1.0, 2.5};

Path bent_path() {
  std::vector<Vec3> points;
  for (double t : uneven_times) points.emplace_back(std::sin(2 * t), std::exp(-t), t * t * t);
  return {uneven_times, points};
}

}  // namespace

TEST_CASE("path: reproduces a parabola at any spacing of knots", "[sim][field][path]") {
  const Vec3 a(1, -2, 3), b(0.5, 4, -1), c(-3, 0.25, 2);
  std::vector<Vec3> points;
  for (double t : uneven_times) points.push_back(a + b * t + c * t * t);
  const Path path(uneven_times, points);
  for (double t = -0.999; t < 2.5; t += 0.0371) {
    // rounding of a few operations on numbers of size 20
    CHECK((path.position(t) - (a + b * t + c * t * t)).norm() < 1e-13);
    CHECK((path.velocity(t) - (b + 2 * c * t)).norm() < 1e-12);
  }
}

TEST_CASE("path: two knots give a straight line, one knot rests", "[sim][field][path]") {
  const Path line({1.0, 3.0}, {Vec3(0, 0, 0), Vec3(2, 4, -6)});
  CHECK((line.position(1.5) - Vec3(0.5, 1, -1.5)).norm() < 1e-15);
  CHECK((line.velocity(1.5) - Vec3(1, 2, -3)).norm() < 1e-15);
  CHECK(line.moves());
  for (const Path& rest : {Path(Vec3(1, 2, 3)), Path({5.0}, {Vec3(1, 2, 3)})}) {
    CHECK_FALSE(rest.moves());
    for (double t : {-1.0, 0.0, 5.0, 9.0}) {
      CHECK(rest.position(t) == Vec3(1, 2, 3));
      CHECK(rest.velocity(t) == Vec3(0, 0, 0));
    }
  }
}

TEST_CASE("path: passes through its knots with continuous position and velocity", "[sim][field][path]") {
  const Path path = bent_path();
  const double d = 1e-9;
  for (std::size_t k = 0; k < uneven_times.size(); ++k) {
    const double t = uneven_times[k];
    CHECK((path.position(t) - Vec3(std::sin(2 * t), std::exp(-t), t * t * t)).norm() < 1e-14);
    if (k == 0 || k + 1 == uneven_times.size()) continue;
    // across 2e-9 s position and velocity change by at most that times their slopes, both below 500
    CHECK((path.position(t + d) - path.position(t - d)).norm() < 1e-6);
    CHECK((path.velocity(t + d) - path.velocity(t - d)).norm() < 1e-6);
  }
}

TEST_CASE("path: velocity is the derivative of position", "[sim][field][path][fd]") {
  const Path path = bent_path();
  const double d = 1e-6;
  for (double t = -0.987; t < 2.49; t += 0.0313) {
    const Vec3 difference = (path.position(t + d) - path.position(t - d)) / (2 * d);
    CHECK(difference.norm() > 1e-3);
    // rounding 1e-16·16/1e-6, and a jump of the second derivative within ±d costs up to 1e-6·50
    CHECK((difference - path.velocity(t)).norm() < 1e-4);
  }
}

TEST_CASE("path: rests at its ends outside its time span", "[sim][field][path]") {
  const Path path = bent_path();
  for (double t : {-1.1, -100.0}) CHECK(path.position(t) == path.position(-1.0));
  for (double t : {2.6, 100.0}) CHECK(path.position(t) == path.position(2.5));
  for (double t : {-1.1, 2.6}) CHECK(path.velocity(t) == Vec3(0, 0, 0));
}

TEST_CASE("path: unusable knots are rejected by name", "[sim][field][path][error]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Vec3 p(0, 0, 0);
  CHECK_THROWS_AS(Path({}, {}), InvalidArgument);
  CHECK_THROWS_WITH(Path({0.0, 1.0}, {p}), Catch::Contains("2 times and 1 points"));
  CHECK_THROWS_WITH(Path({0.0, 1.0, 1.0}, {p, p, p}), Catch::Contains("path.t[2]"));
  CHECK_THROWS_WITH(Path({0.0, -1.0}, {p, p}), Catch::Contains("must be later"));
  CHECK_THROWS_WITH(Path({0.0, nan}, {p, p}), Catch::Contains("path.t[1]"));
  CHECK_THROWS_WITH(Path({0.0, 1.0}, {p, Vec3(0, nan, 0)}), Catch::Contains("path.point[1]"));
}
