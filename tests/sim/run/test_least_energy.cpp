#include "sim/run/equilibrium.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/resting_bodies.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

/// Five trapped ions, each held by the trap and the others.
struct Ions {
  Model model = trapped_ions(5, {4, 1, 2}, 1e-7, {});
  Equilibrium rest;
  Ions() {
    Points near(3, 5);
    for (Index i = 0; i < 5; ++i)
      near.col(i) = Vec3(0.01, 0.3 * static_cast<double>(i), 0.1 * static_cast<double>(i % 2));
    rest = find_equilibrium(model, {0, near, Points::Zero(3, 5)});
  }
  Points pull(Index i, Index a) const {
    Points unit = Points::Zero(3, 5);
    unit(a, i) = 1;
    return unit;
  }
};

}  // namespace

TEST_CASE("least energy: shapes move the measured points by one, and nothing else pulls", "[sim][run][equilibrium]") {
  const Ions ions;
  INFO(ions.rest.failure);
  REQUIRE(ions.rest.found());
  REQUIRE_FALSE(ions.rest.is_loose());
  Points mean = Points::Zero(3, 5);
  mean(1, 1) = mean(1, 2) = 0.5;
  const std::vector<Points> pulls{ions.pull(0, 0), mean, ions.pull(4, 2)};
  const std::vector<Points> shapes = least_energy_shapes(ions.rest, pulls);
  REQUIRE(shapes.size() == 3);
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t j = 0; j < 3; ++j)
      CHECK(flat(pulls[j]).dot(flat(shapes[k])) == Approx(j == k ? 1 : 0).margin(1e-9));
    Points force;  // where nothing is measured, none holds the shape
    apply_stiffness(ions.model, {0, ions.rest.x, Points::Zero(3, 5)}, shapes[k], force);
    const double scale = force.cwiseAbs().maxCoeff();
    REQUIRE(scale > 0);
    CHECK(force.col(3).norm() < 1e-8 * scale);
    CHECK(std::abs(force(1, 1) - force(1, 2)) < 1e-8 * scale);  // shared as the pattern says
    CHECK(std::abs(force(1, 0)) < 1e-8 * scale);
  }
  CHECK(shapes[1].col(3).norm() > 1e-3);  // neighbors follow
}

TEST_CASE("least energy: a point that is measured twice is shared between its shapes", "[sim][run][equilibrium]") {
  const Ions ions;
  const std::vector<Points> once = least_energy_shapes(ions.rest, {ions.pull(2, 1)});
  const std::vector<Points> twice = least_energy_shapes(ions.rest, {ions.pull(2, 1), ions.pull(2, 1)});
  CHECK((twice[0] - once[0] / 2).norm() < 1e-8 * once[0].norm());
  CHECK((twice[1] - once[0] / 2).norm() < 1e-8 * once[0].norm());
}
