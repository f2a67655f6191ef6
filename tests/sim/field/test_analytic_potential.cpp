#include "sim/field/analytic_potential.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using namespace pithball::sim;

TEST_CASE("analytic_potential: field and second derivatives of a known function", "[sim][field]") {
  const AnalyticPotential potential("exp(-x^2) * sin(y + t) + z^3");
  const Vec3 p(0.3, -0.7, 1.1);
  const double t = 0.4, E = std::exp(-0.09), S = std::sin(-0.3), C = std::cos(-0.3);
  CHECK(potential.potential(p, t) == Approx(E * S + std::pow(1.1, 3)).epsilon(1e-15));
  CHECK((potential.value(p, t) - Vec3(0.6 * E * S, -E * C, -3 * 1.21)).norm() < 1e-14);
  Mat3 J;  // of −∇φ
  J << (2 - 4 * 0.09) * E * S, 0.6 * E * C, 0, 0.6 * E * C, E * S, 0, 0, 0, -6.6;
  CHECK((potential.jacobian(p, t) - J).norm() < 1e-10);  // the fourth-order difference with a step of 2.3e-3
}
