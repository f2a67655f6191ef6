#include "sim/force/medium.hpp"

#include "sim/force/gravity.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

/// Drops of water in oil, and a bubble, which rises.
struct Drops {
  const Vec3 g{0, 0, -9.81}, wind{0.02, 0, 0};
  const Vector radius{{1e-4, 2e-4, 1.5e-4}}, mass{{4.2e-9, 3.4e-8, 1.7e-11}};
  const double viscosity = 0.05, density = 900;
  Model model() const {
    const auto drag = std::make_shared<StokesDrag>(radius, viscosity, std::make_shared<UniformField>(wind));
    return Model({.particles = 3, .springs = {}, .held = {}}, mass, Vector::Zero(3),
                 {std::make_shared<Gravity>(g), drag, std::make_shared<Buoyancy>(drag, density, g)});
  }
  /// u + (m − ρ 4/3 π r³) g/(6π η r).
  Vec3 terminal(Index i) const {
    const double r = radius[i], volume = 4 * M_PI / 3 * r * r * r;
    return wind + (mass[i] - density * volume) / (6 * M_PI * viscosity * r) * g;
  }
};

}  // namespace

TEST_CASE("medium: drops reach the terminal speed of Stokes and Archimedes", "[sim][force]") {
  const Drops drops;
  const Model model = drops.model();
  REQUIRE(drops.terminal(0)[2] < 0);
  REQUIRE(drops.terminal(2)[2] > 0);  // the bubble
  // Time constants m/(6π η r) are 0.18 ms to 0.12 µs.
  struct Run {
    const char* integrator;
    double step;
    Index steps;
  };
  for (const auto& [integrator, step, steps] : {Run{"imex_euler", 1e-3, 60}, Run{"theta", 1e-4, 200},
                                                Run{"implicit_euler", 1e-3, 60}, Run{"imex_midpoint", 2e-6, 3000}}) {
    const State end =
        simulate(model, {0, Points::Zero(3, 3), Points::Zero(3, 3)},
                 {.integrator = integrator, .time_step = step, .steps = steps, .every = steps, .stage = {}})
            .states.back();
    for (Index i = 0; i < 3; ++i) {
      INFO(integrator << ", particle " << i);
      if (std::string(integrator) == "theta" && i == 2) continue;  // the trapezoidal rule does not damp the bubble
      CHECK((end.v.col(i) - drops.terminal(i)).norm() < 1e-10 * drops.terminal(i).norm());
    }
  }
}

TEST_CASE("medium: buoyancy alone lifts by the weight of the displaced medium", "[sim][force]") {
  const Drops drops;
  const Model model = drops.model();
  Points f = Points::Zero(3, 3);
  model.terms()[2]->add_force(model, {0, Points::Zero(3, 3), Points::Zero(3, 3)}, f);
  for (Index i = 0; i < 3; ++i) {
    const double r = drops.radius[i];
    CHECK(f(2, i) == Approx(900 * 9.81 * 4.1887902047863909846 * r * r * r).epsilon(1e-14));
  }
}

TEST_CASE("medium: a sphere that the gas slips along falls faster by Cunningham's factor 1 + A/r", "[sim][force]") {
  const double A = 3e-5;
  Drops drops;
  const auto falling = [&](double slip_length) {
    const auto drag = std::make_shared<StokesDrag>(drops.radius, drops.viscosity,
                                                   std::make_shared<UniformField>(Vec3::Zero()), slip_length);
    const Model model({.particles = 3, .springs = {}, .held = {}}, drops.mass, Vector::Zero(3),
                      {std::make_shared<Gravity>(drops.g), drag});
    return simulate(model, {0, 1e-3 * Points::Identity(3, 3), Points::Zero(3, 3)},
                    {.integrator = "imex_euler", .time_step = 1e-3, .steps = 60, .every = 60, .stage = {}})
        .states.back();
  };
  const State slipping = falling(A), sticking = falling(0);
  for (Index i = 0; i < 3; ++i) {
    const double r = drops.radius[i], speed = drops.mass[i] * 9.81 / (6 * M_PI * drops.viscosity * r);
    CHECK(sticking.v(2, i) == Approx(-speed).epsilon(1e-10));
    CHECK(slipping.v(2, i) == Approx(-speed * (1 + A / r)).epsilon(1e-10));
  }
}
