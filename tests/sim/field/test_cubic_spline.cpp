#include "sim/field/cubic_spline.hpp"

#include "sim/core/error.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using sim::CubicSpline;
using sim::Index;
using sim::Vector;

namespace {

/// Nodes on [0, π] with spacings between 0.7 and 1.3 of the even one.
Vector uneven_nodes(Index pieces) {
  const double h = M_PI / pieces;
  Vector s = Vector::LinSpaced(pieces + 1, 0, M_PI);
  for (Index k = 1; k < pieces; ++k) s[k] += 0.15 * h * std::sin(7.0 * k);
  return s;
}

CubicSpline sine(Index pieces) {
  const Vector s = uneven_nodes(pieces);
  return {s, s.array().sin()};
}

struct SplineErrors {
  double value = 0, slope = 0, curvature = 0, integral = 0;
};
SplineErrors spline_errors(const CubicSpline& spline) {
  SplineErrors e;
  for (double s = 0; s <= M_PI; s += 0.0037) {
    e.value = std::max(e.value, std::abs(spline.value(s) - std::sin(s)));
    e.slope = std::max(e.slope, std::abs(spline.slope(s) - std::cos(s)));
    e.curvature = std::max(e.curvature, std::abs(spline.curvature(s) + std::sin(s)));
    e.integral = std::max(e.integral, std::abs(spline.integral(s) - (1 - std::cos(s))));
  }
  return e;
}

}  // namespace

TEST_CASE("cubic_spline: value, slope, curvature and integral converge with orders 4, 3, 2 and 4", "[sim][field]") {
  const SplineErrors coarse = spline_errors(sine(20)),
                     fine = spline_errors(sine(80));  // 4⁴, 4³, 4², 4⁴; uneven nodes cost up to a third
  CHECK(coarse.value / fine.value > 170);
  CHECK(coarse.slope / fine.slope > 42);
  CHECK(coarse.curvature / fine.curvature > 10);
  CHECK(coarse.integral / fine.integral > 170);
  CHECK(fine.value < 1e-7);  // 5/384 h⁴ = 3e-8 for even nodes (Hall and Meyer 1976)
}

TEST_CASE("cubic_spline: a cubic is itself up to the ends, a parabola already of three nodes", "[sim][field]") {
  for (const Index pieces : {3, 4, 9}) {
    const Vector s = uneven_nodes(pieces);
    const CubicSpline cubic(s, s.array() * (s.array() * (2 - s.array()) + 3) - 1);
    for (double at = 0; at <= M_PI; at += 0.1) {
      CHECK(cubic.value(at) == Approx(at * (at * (2 - at) + 3) - 1).margin(1e-12));  // rounding
      CHECK(cubic.slope(at) == Approx(3 + at * (4 - 3 * at)).margin(1e-12));
      CHECK(cubic.curvature(at) == Approx(4 - 6 * at).margin(1e-11));
    }
  }
  const CubicSpline parabola(Vector{{0, 1, 3}}, Vector{{0, 1, 9}});
  CHECK(parabola.slope(0) == Approx(0).margin(1e-15));
  CHECK(parabola.slope(3) == Approx(6));
}

TEST_CASE("cubic_spline: slope and curvature are continuous, the slope also where the straight ends begin",
          "[sim][field]") {
  const CubicSpline spline = sine(9);
  const Vector nodes = uneven_nodes(9);
  REQUIRE(std::abs(spline.curvature(1.5)) > 0.5);
  for (const double s : nodes) {
    const double d = 1e-9;  // over 2e-9 nothing changes by more than that times a derivative below 100
    CHECK(spline.value(s + d) == Approx(spline.value(s - d)).margin(2e-7));
    CHECK(spline.slope(s + d) == Approx(spline.slope(s - d)).margin(2e-7));
    if (s > 0 && s < spline.last()) CHECK(spline.curvature(s + d) == Approx(spline.curvature(s - d)).margin(2e-7));
    CHECK(spline.integral(s + d) == Approx(spline.integral(s - d)).margin(2e-7));
  }
  CHECK(spline.slope(-2) == spline.slope(0));
  CHECK(spline.slope(9) == spline.slope(M_PI));
  CHECK(spline.value(-2) == Approx(-2 * spline.slope(0)).epsilon(1e-14));
  CHECK(spline.integral(-2) == Approx(2 * spline.slope(0)).epsilon(1e-14));  // ∫ from 0 to −2 of slope · s
  CHECK(spline.curvature(-1e-3) == 0);
}

TEST_CASE("cubic_spline: two nodes give a straight line", "[sim][field]") {
  const CubicSpline line(Vector{{1, 3}}, Vector{{2, -4}});
  CHECK(line.value(1.5) == Approx(0.5));
  CHECK(line.slope(2.9) == Approx(-3));
  CHECK(line.integral(3) == Approx(-2));
}

TEST_CASE("cubic_spline: smooth finds the curve under scatter and is exact without", "[sim][field]") {
  const Vector even = Vector::LinSpaced(7, 0, M_PI), s = uneven_nodes(400);
  const CubicSpline target(even, even.array().sin(), SplineEnds::Natural);
  Vector values(s.size()), scatter(s.size());
  for (Index k = 0; k < s.size(); ++k) {
    values[k] = target.value(s[k]);
    scatter[k] = values[k] + 1e-3 * std::sin(1e4 * s[k]);  // no frequency that 7 nodes could follow
  }
  const CubicSpline exact = CubicSpline::smooth(s, values, M_PI / 6), rough = CubicSpline::smooth(s, scatter, M_PI / 6);
  const CubicSpline interpolated(s, scatter);
  double interpolated_error = 0;
  for (double at = 0.1; at < 3; at += 0.0173) {
    CHECK(exact.slope(at) == Approx(target.slope(at)).margin(1e-12));  // rounding of a well-conditioned 401×7 problem
    // 1e-3 · √(7/400) per value on average, over a spacing of 0.5
    CHECK(rough.slope(at) == Approx(target.slope(at)).margin(2e-3));
    interpolated_error = std::max(interpolated_error, std::abs(interpolated.slope(at) - target.slope(at)));
  }
  CHECK(interpolated_error > 0.05);  // what smoothing is for
}

TEST_CASE("cubic_spline: wrong nodes are rejected", "[sim][field][error]") {
  CHECK_THROWS_WITH(CubicSpline(Vector{{1}}, Vector{{1}}), Catch::Contains("at least two nodes"));
  CHECK_THROWS_WITH(CubicSpline(Vector{{1, 2}}, Vector{{1}}), Catch::Contains("one value each"));
  CHECK_THROWS_WITH(CubicSpline(Vector{{1, 1}}, Vector{{1, 2}}), Catch::Contains("node[1]: must be greater"));
  CHECK_THROWS_WITH(CubicSpline(Vector{{1, 2}}, Vector{{1, NAN}}), Catch::Contains("finite"));
  const Vector s = Vector::LinSpaced(5, 0, 1);
  CHECK_THROWS_WITH(CubicSpline::smooth(s, s, 0), Catch::Contains("spacing: must be > 0"));
  CHECK_THROWS_WITH(CubicSpline::smooth(s, s, 0.1), Catch::Contains("fewer nodes"));
  const Vector gap{{0, 0.01, 0.02, 0.03, 0.04, 0.05, 1}};
  CHECK_THROWS_WITH(CubicSpline::smooth(gap, gap, 0.2), Catch::Contains("near a node of the table"));
}
