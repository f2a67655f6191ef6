#include "optim/parameter/control_points.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::complaint;
using pithball::test::contains;

namespace {

sim::Points scattered(Index n) {
  sim::Points x(3, n);
  for (Index k = 0; k < x.size(); ++k) x.data()[k] = std::sin(1.7 * k + 0.3);
  return x;
}

}  // namespace

TEST_CASE("control_points: weights are 1 at their own point, 0 at the others and sum to 1", "[optim][control_points]") {
  const sim::Points x = scattered(60);
  for (const Index count : {1, 2, 5, 12, 60}) {
    const ControlPoints control(x, count);
    REQUIRE(control.points().size() == static_cast<std::size_t>(count));
    for (Index k = 0; k < count; ++k)
      CHECK(control.weights().row(control.points()[k]) == Eigen::RowVectorXd::Unit(count, k));
    // Rounding times the condition of distances between 60 points, below 1e4.
    CHECK((control.weights().rowwise().sum().array() - 1).abs().maxCoeff() < 1e-11);
  }
}

TEST_CASE("control_points: along a line the field is straight between two and constant beyond",
          "[optim][control_points]") {
  sim::Points line(3, 9);
  for (Index i = 0; i < 9; ++i) line.col(i) = sim::Vec3(0.1, 0.2, -0.3) + 0.5 * i * sim::Vec3(1, 2, 2);
  const ControlPoints control(line, 3);  // an end, the other end, the middle
  CHECK(control.points() == std::vector<Index>{0, 8, 4});
  sim::Vector p(3);
  p << 1, 5, -2;
  const sim::Vector field = control.weights() * p;
  for (Index i = 0; i <= 8; ++i)
    CHECK(field[i] == Approx(i <= 4 ? 1 - 3 * i / 4.0 : -2 + 7 * (i - 4) / 4.0).margin(1e-12));
  const ControlPoints inner(line.leftCols(5), 2);
  CHECK(inner.points() == std::vector<Index>{0, 4});
}

TEST_CASE("control_points: are spread, each the farthest from those before", "[optim][control_points]") {
  const sim::Points x = scattered(60);
  const std::vector<Index> points = ControlPoints(x, 10).points();
  const auto distance_to_first = [&](Index i, std::size_t count) {
    double least = 1e9;
    for (std::size_t k = 0; k < count; ++k) least = std::min(least, (x.col(i) - x.col(points[k])).norm());
    return least;
  };
  for (std::size_t k = 1; k < points.size(); ++k)
    for (Index i = 0; i < x.cols(); ++i) CHECK(distance_to_first(i, k) <= distance_to_first(points[k], k));
}

TEST_CASE("control_points: more points than places are rejected", "[optim][control_points][error]") {
  CHECK(contains(complaint([] { ControlPoints(scattered(3), 4); }),
                 "must be between 1 and the number of positions, 3, got 4"));
  sim::Points twice = scattered(4);
  twice.col(3) = twice.col(0);
  CHECK(contains(complaint([&] { ControlPoints(twice, 4); }), "must be at most the number of different positions, 3"));
}
