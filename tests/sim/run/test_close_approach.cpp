#include "sim/run/energy_balance.hpp"

#include <cmath>

#include "sim/force/newtonian_gravity.hpp"
#include "sim/force/point_charge.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

/// A run that was watched.
struct Watched {
  EnergyBalance balance;
  std::optional<CloseApproach> near;
};

Watched watch(const Model& model, const State& start, const IntegratorChoice& integrator, double h, Index steps) {
  ApproachMeter meter(model);
  EnergyBalancer energies;
  std::optional<State> before;
  run(model, start, {.integrator = integrator, .time_step = h, .steps = steps, .stage = {}},
      [&](Index n, const State& state, const StepRecord&, const EnergyRow* kept) {
        if (before) meter.add(n, *before, state);
        before = state;
        if (kept) energies.add(*kept);
        return true;
      });
  return {energies.balance(), meter.found(h)};
}

std::shared_ptr<ForceTerm> coulomb() { return std::make_shared<CoulombForce>(std::make_unique<DirectCoulombSum>()); }

/// Two charges fly toward each other at 1 size/s, hardly feeling each other, until they are `nearest` sizes apart after
/// 1024 steps of 1/1024 s; neither the one before them nor the one behind them comes near.
struct Encounter {
  static constexpr double h = 1.0 / 1024;
  Model model;
  State start;

  Encounter(double size, double nearest) : model(model_of(size)), start(start_of(size, nearest)) {}

 private:
  static Model model_of(double size) {
    const double q = std::sqrt(1e-12 * std::pow(size, 3) / coulomb_constant);
    return {{.particles = 4, .springs = {}, .held = {}}, all(4, 1), Vector{{0, q, 1e-3 * q, -q}}, {coulomb()}};
  }
  static State start_of(double size, double nearest) {
    return {0, size * columns({{0, -8, 0}, {0.5 + nearest, 0, 0}, {0, 8, 0}, {-0.5, 0, 0}}),
            size * columns({{0, 0, 0}, {-0.5, 0, 0}, {0, 0, 0}, {0.5, 0, 0}})};
  }
};

}  // namespace

TEST_CASE("close approach: charges that nearly meet are named, with the energy that it adds, at every size",
          "[sim][run][scale]") {
  for (const double size : {1e-9, 1.0, 1e9})
    for (const char* name : {"imex_midpoint", "velocity_verlet", "leapfrog", "symplectic_euler", "beeman"}) {
      INFO(name << ", " << size << " m");
      const Encounter pair(size, 1e-9);
      const Watched seen = watch(pair.model, pair.start, name, Encounter::h, 1100);
      REQUIRE(seen.near);
      CHECK(seen.near->force == "coulomb");
      CHECK(std::min(seen.near->particle, seen.near->other) == 1);
      CHECK(std::max(seen.near->particle, seen.near->other) == 3);
      CHECK(seen.near->step == 1024);
      CHECK(seen.near->t == 1);
      CHECK(seen.near->distance == Approx(1e-9 * size).epsilon(0.2));  // what they felt before
      CHECK(seen.balance.max > 0.5);
      CHECK(seen.balance.added > 1e5 * seen.balance.own);
      CHECK(seen.balance.own == Approx(0.25 * size * size).epsilon(0.2));  // of two flights at 0.5 sizes/s
    }
}

TEST_CASE("close approach: a pass that the steps resolve is none", "[sim][run]") {
  const Encounter wide(1, 0.25);
  CHECK_FALSE(watch(wide.model, wide.start, "velocity_verlet", Encounter::h, 1100).near);
  const KnownMotion orbit = elliptic_orbit();
  const Watched round = watch(orbit.model, orbit.initial, "velocity_verlet", orbit.duration / 800, 800);
  CHECK_FALSE(round.near);
  CHECK(round.balance.max < 0.1);
  // Springs that are too stiff for the step throw two charges about; the charges do nothing.
  const Model torn({.particles = 2, .springs = {{0, 1}}, .held = {}}, all(2, 1), all(2, 1e-9),
                   {springs(1, 1e3, 1), coulomb()});
  CHECK_FALSE(watch(torn, {0, columns({{0, 0, 0}, {1.2, 0, 0}}), Points::Zero(3, 2)}, "velocity_verlet", 1, 5).near);
}

TEST_CASE("close approach: of masses, and to a point charge", "[sim][run]") {
  const Encounter pair(1, 1e-9);
  const Model masses({.particles = 4, .springs = {}, .held = {{3, {}}}}, Vector{{1e-9, 1, 1e-9, 1}}, all(4, 0),
                     {std::make_shared<NewtonianGravity>(std::make_unique<DirectCoulombSum>(), 1e-12)});
  State fall = pair.start;
  fall.v.col(1) *= 2;  // toward one that is pinned
  fall.v.col(3).setZero();
  const Watched mass = watch(masses, fall, "velocity_verlet", Encounter::h, 1100);
  REQUIRE(mass.near);
  CHECK(mass.near->force == "newtonian_gravity");
  CHECK(mass.near->particle == 1);
  CHECK(mass.near->other == 3);

  const double q = std::sqrt(1e-12 / coulomb_constant);
  const Model one({.particles = 2, .springs = {}, .held = {}}, all(2, 1), Vector{{0, q}},
                  {std::make_shared<PointCharge>(-q, Path(Vec3(-0.5, 0, 0)))});
  const Watched charge = watch(one, {0, columns({{0, 0, 0}, {0.5 + 1e-9, 0, 0}}), columns({{0, 0, 0}, {-1, 0, 0}})},
                               "velocity_verlet", Encounter::h, 1100);
  REQUIRE(charge.near);
  CHECK(charge.near->force == "point_charge");
  CHECK(charge.near->particle == 1);
  CHECK(charge.near->other == -1);
  const std::string sentence = charge.near->sentence();
  CHECK(sentence.find("particle 1 is ") == 0);
  CHECK(sentence.find(" m from the point_charge at step 1024 (t = 1 s)") != std::string::npos);
}
