#include "sim/force/spring_force.hpp"

#include <cmath>
#include <numbers>

#include "sim/model/model.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

const Vec3 along = Vec3(1, 2, -2) / 3;

/// A mass m on a spring of length l0 whose other end is held.
struct Duffing {
  double m, k, k3, l0;

  Model model() const {
    return {Topology{.particles = 2, .springs = {{0, 1}}, .held = {{0, {}}}},
            tests::all(2, m),
            Vector::Zero(2),
            {tests::springs(1, k, l0), std::make_shared<CubicSpring>(tests::all(1, k3))}};
  }
  State stretched(double d) const { return {0, tests::columns({Vec3::Zero(), (l0 + d) * along}), Points::Zero(3, 2)}; }
  /// m d'' = −k d − k₃ d³ from rest at d = A is A cn(Ωt | p) with Ω² = (k + k₃A²)/m and p = k₃A²/(2 (k + k₃A²)), whose
  /// period is 4 K(p)/Ω (Kovacic and Brennan, The Duffing Equation, 2011, chapter 4).
  double period(double A) const {
    const double stiff = k + k3 * A * A, p = k3 * A * A / (2 * stiff);
    return 4 * std::comp_ellint_1(std::sqrt(p)) / std::sqrt(stiff / m);
  }
};

/// What the particle 1 of a model feels, and its energy, by the cubic springs alone.
Vec3 force_on_1(const Model& model, const State& s) {
  Points f = Points::Zero(3, model.particles());
  model.terms()[1]->add_force(model, s, f);
  CHECK(f.col(0) == -f.col(1));
  return f.col(1);
}

}  // namespace

TEST_CASE("cubic_spring: force and energy by hand, stretched, compressed and without a rest length", "[sim][force]") {
  const double rounding = 1e-14;  // a few operations on numbers near 1
  const Duffing spring{.m = 1, .k = 2, .k3 = 5, .l0 = 0.5};
  for (const double d : {0.2, -0.2}) {
    const State s = spring.stretched(d);
    CHECK((force_on_1(spring.model(), s) + std::copysign(0.04, d) * along).norm() < rounding);     // 5 · 0.2³
    CHECK(*spring.model().terms()[1]->energy(spring.model(), s) == Approx(0.002).epsilon(1e-13));  // 5/4 · 0.2⁴
  }
  const Duffing no_length{.m = 1, .k = 2, .k3 = 5, .l0 = 0};
  CHECK((force_on_1(no_length.model(), no_length.stretched(0.3)) + 0.135 * along).norm() < rounding);
  CHECK(force_on_1(no_length.model(), no_length.stretched(0)).isZero(0));
}

TEST_CASE("cubic_spring: the period of the elliptic integral is the known one of a spring without linear part",
          "[sim][force]") {
  // 4 K(1/2) = Γ(1/4)²/√π = 7.4162987092…
  const double period = Duffing{.m = 1, .k = 0, .k3 = 1, .l0 = 1}.period(1);
  CHECK(period == Approx(std::pow(std::tgamma(0.25), 2) / std::sqrt(std::numbers::pi)).epsilon(1e-14));
  CHECK(period == Approx(7.416298709205487).epsilon(1e-14));
}

TEST_CASE("cubic_spring: a mass on one returns after the period of the elliptic integral, at every scale",
          "[sim][force][conservation]") {
  constexpr Index steps = 800;
  for (const double length : {1e-3, 1.0, 1e3})
    for (const double linear : {1.0, 0.0}) {  // k₃A² is twice k; without k the spring is purely cubic
      const double m = 0.7, A = 0.4 * length, unit = 2 * m / (A * A);
      const Duffing spring{.m = m, .k = linear * m, .k3 = unit, .l0 = length};
      const double T = spring.period(A), fastest = std::sqrt((spring.k + spring.k3 * A * A) / m) * A;
      const double h = T / steps;
      // A phase error of (Ωh)² (a tenth of it in fact) of the implicit midpoint rule, of (Ωh)⁴ of Runge–Kutta's.
      const double turn = 2 * std::numbers::pi / steps;
      for (const auto& [integrator, error] : {std::pair{"imex_midpoint", turn * turn}, {"rk4", std::pow(turn, 4)}}) {
        INFO(integrator << ", lengths of " << length << " m, k = " << spring.k);
        const auto after = [&](Index n) {
          const Trajectory run = simulate(spring.model(), spring.stretched(A),
                                          {.integrator = integrator, .time_step = h, .steps = n, .stage = {}});
          REQUIRE(run.status == StepStatus::Ok);
          const State& end = run.states.back();
          return std::pair{(end.x.col(1).norm() - spring.l0) / A, end.v.col(1).dot(along) / fastest};
        };
        CHECK(std::abs(after(steps / 4).first) < 2 * std::numbers::pi * error);
        const auto [half, speed_there] = after(steps / 2);
        CHECK(half == Approx(-1).margin(2 * std::numbers::pi * error));
        CHECK(std::abs(speed_there) < 2 * std::numbers::pi * error);
        const auto [whole, speed] = after(steps);
        CHECK(whole == Approx(1).margin(2 * std::numbers::pi * error));
        CHECK(std::abs(speed) < 2 * std::numbers::pi * error);
      }
    }
}

TEST_CASE("cubic_spring: it belongs to springs, one number each, and hardens", "[sim][force][error]") {
  const Topology pair{.particles = 2, .springs = {{0, 1}}, .held = {}};
  const auto model = [&](tests::Terms terms) { return Model(pair, tests::all(2, 1), Vector::Zero(2), terms); };
  const auto cubic = [](Index n, double k3) { return std::make_shared<CubicSpring>(tests::all(n, k3)); };
  CHECK_THROWS_WITH(model({cubic(1, 1)}), Catch::Contains("springs.cubic_stiffness: must belong to springs"));
  CHECK_THROWS_WITH(model({tests::springs(1, 1, 1), cubic(2, 1)}),
                    Catch::Contains("springs.cubic_stiffness: must have one entry for each of the 1 springs"));
  CHECK_THROWS_WITH(model({tests::springs(1, 1, 1), cubic(1, -1)}),
                    Catch::Contains("cubic_stiffness: must be >= 0 N/m3, got -1"));
}
