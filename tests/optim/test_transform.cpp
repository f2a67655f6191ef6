#include <cmath>

#include "optim/parameter/parameter.hpp"
#include "sim/core/error.hpp"
#include "tests/support/catch.hpp"

using pithball::optim::Transform;

TEST_CASE("transform: theta inverts value and derivative is its slope", "[optim][transform]") {
  for (const Transform& t : {Transform(Transform::Kind::Identity), Transform(Transform::Kind::Log),
                             Transform(Transform::Kind::Scaled, 6e-6)}) {
    for (double theta : {-1.3, 0.2, 2.5}) {
      CHECK(t.theta(t.value(theta)) == Approx(theta).epsilon(1e-14));
      const double h = 1e-5;
      const double slope = (t.value(theta + h) - t.value(theta - h)) / (2 * h);
      REQUIRE(t.derivative(theta) != 0);
      // The central difference is wrong by h²/6 of the third derivative, 2e-11 of the slope.
      CHECK(slope == Approx(t.derivative(theta)).epsilon(1e-9));
    }
  }
}

TEST_CASE("transform: log keeps values positive and maps a bound of 0 to no bound", "[optim][transform]") {
  const Transform t(Transform::Kind::Log);
  CHECK(t.value(-50) > 0);
  CHECK(t.theta(0) == -std::numeric_limits<double>::infinity());
}

TEST_CASE("transform: a scale that is not positive is rejected", "[optim][transform][error]") {
  CHECK_THROWS_AS(Transform(Transform::Kind::Scaled, 0), pithball::InvalidArgument);
  CHECK_THROWS_AS(Transform(Transform::Kind::Automatic), pithball::InvalidArgument);
}
