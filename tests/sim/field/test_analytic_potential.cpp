#include "sim/field/analytic_field.hpp"

#include <cmath>
#include <cstdio>

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
  CHECK((potential.jacobian(p, t) - J).norm() < 1e-14);  // rounding of a few operations
}

TEST_CASE("analytic_potential: second derivatives are right whatever the length of a wave", "[sim][field]") {
  for (const double length : {1e9, 10.0, 0.1, 1e-2, 1e-3, 1e-6, 1e-15}) {
    CAPTURE(length);
    const double k = 2 * M_PI / length;
    char expression[64];
    std::snprintf(expression, sizeof expression, "-0.7*cos(%.17g*x)*y", k);
    const AnalyticPotential potential(expression);
    const Vec3 p(0.1 * length, 0.3 * length, 5);
    const double C = 0.7 * std::cos(k * p[0]), S = 0.7 * std::sin(k * p[0]);
    Mat3 J = Mat3::Zero();  // of −∇φ = (−k S y, C, 0)
    J(0, 0) = -k * k * C * p[1];
    J(0, 1) = J(1, 0) = -k * S;
    CHECK((potential.value(p, 0) - Vec3(-k * S * p[1], C, 0)).norm() < 1e-14 * C);
    CHECK((potential.jacobian(p, 0) - J).norm() < 1e-14 * J.norm());
  }
}
