#include "sim/run/energy_balance.hpp"

#include <cmath>

#include "sim/check/observed_order.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

/// Two masses on a circle around each other, held together by a spring: no kind of energy changes but by errors.
Motion steady_rotation() {
  const Motion free = oscillator(0);
  const double m = 0.8, k = 3, distance = 1.2, l0 = 0.5, omega = std::sqrt(2 * k * (distance - l0) / (m * distance));
  return {"steady rotation",
          Model({.particles = 2, .springs = {{0, 1}}, .held = {}}, all(2, m), all(2, 0), {springs(1, k, l0)}),
          {0, columns({{-distance / 2, 0, 0}, {distance / 2, 0, 0}}),
           columns({{0, -omega * distance / 2, 0}, {0, omega * distance / 2, 0}})},
          2 * M_PI / omega,
          {}};
}

EnergyBalance balance_of(const Motion& motion, const IntegratorChoice& integrator, Index steps) {
  const Trajectory run =
      simulate(motion.model, motion.initial,
               {.integrator = integrator, .time_step = motion.duration / steps, .steps = steps, .stage = {}});
  REQUIRE(run.status == StepStatus::Ok);
  return energy_balance(run.energy);
}

}  // namespace

TEST_CASE("energy_balance: the zero of a potential changes nothing", "[sim][run]") {
  std::vector<EnergyRow> book{{.external = 1, .kinetic = 0},
                              {.step = 1, .external = 0.4, .kinetic = 0.5, .numerical = 0.1}};
  for (const double zero : {0.0, -1.0, 64.0, -1048576.0}) {
    for (EnergyRow& row : book) row.external += zero;
    const EnergyBalance balance = energy_balance(book);
    CHECK(balance.scale == Approx(0.6));
    CHECK(balance.max == Approx(0.1 / 0.6).epsilon(1e-9));
    CHECK(balance.mean == balance.max);
    CHECK(balance.worst.step == 1);
    CHECK(balance.added == Approx(-0.1).epsilon(1e-9));
    CHECK(balance.own == Approx(0.5).epsilon(1e-9));
    for (EnergyRow& row : book) row.external -= zero;
  }
}

TEST_CASE("energy_balance: what the steps add is no energy of the motion itself", "[sim][run]") {
  // Two charges at rest fall in, and fly apart with 1e8 times the energy; springs and drag then share it.
  std::vector<EnergyRow> book{{.coulomb = -1}, {.step = 1, .coulomb = -3, .kinetic = 2}};
  book.push_back({.step = 2, .coulomb = -1e-3, .kinetic = 1e8, .numerical = -1e8});
  CHECK(energy_balance(book).own == 2);
  EnergyRow spread{.step = 3, .elastic = 3e7, .coulomb = -1e-3, .kinetic = 5e7, .numerical = -1e8};
  spread.losses[LossKind::Drag] = 2e7;
  book.push_back(spread);
  CHECK(energy_balance(book).own == 2);
  CHECK(energy_balance(book).added == 1e8);
  // What a driver gives, what falls, and what is there at the start counts, whatever it is at the start.
  EnergyRow driven{.step = 1, .kinetic = 5};
  driven.losses[LossKind::Drivers] = -5;
  CHECK(energy_balance({{}, driven}).own == 5);
  CHECK(energy_balance({{.external = 1e6}, {.step = 1, .external = 1e6 - 4, .kinetic = 4}}).own == 4);
  CHECK(energy_balance({{.kinetic = 3}, {.step = 1, .kinetic = 4, .numerical = -1}}).own == 3);
  // Nothing but rounding is unknown.
  CHECK(
      energy_balance({{.external = 1}, {.step = 1, .external = 1 - 1e-16, .kinetic = 1e-9, .numerical = -1e-9}}).own ==
      0);
}

TEST_CASE("energy_balance: losses belong to what moves", "[sim][run]") {
  EnergyRow dragged{.step = 1, .external = 0.9};
  dragged.losses[LossKind::Drag] = 0.5;
  const EnergyBalance balance = energy_balance({{.external = 1}, dragged});
  CHECK(balance.scale == 0.5);
  CHECK(balance.max == 0);
}

TEST_CASE("energy_balance: is unknown if nothing but rounding moves", "[sim][run]") {
  CHECK(std::isnan(energy_balance({}).max));
  CHECK(std::isnan(energy_balance({{.elastic = 3}}).max));
  CHECK(std::isnan(energy_balance({{}, {.step = 1}}).max));  // tracers have no energy
  const EnergyBalance resting =
      energy_balance({{.elastic = 3e5}, {.step = 1, .elastic = 3e5 + 1e-9, .numerical = -1e-9}});
  CHECK(std::isnan(resting.max));
  CHECK(std::isnan(resting.mean));
}

TEST_CASE("energy_balance: a number that is not finite stays", "[sim][run]") {
  const EnergyBalance balance = energy_balance(
      {{.elastic = 1}, {.step = 1, .elastic = NAN, .numerical = NAN}, {.step = 2, .elastic = 0.5, .kinetic = 0.5}});
  CHECK(std::isnan(balance.max));
}

TEST_CASE("energy_balance: no integrator is doubtful on a motion that its step resolves", "[sim][run][integrator]") {
  std::vector<Motion> motions{oscillator(0), elliptic_orbit(), steady_rotation()};
  for (const IntegratorInfo& info : integrators())
    for (const Motion& motion : motions) {
      INFO(info.name << ", " << motion.name);
      const Index steps = info.position_order == 1 ? 8000 : 800;
      CHECK(balance_of(motion, info.name, steps).max < 0.1);
    }
}

TEST_CASE("energy_balance: a body that rotates too fast for its step is found out", "[sim][run][integrator]") {
  // A stiff dumb-bell at ten steps a turn: imex_midpoint makes 2e4 times its energy.
  const double omega = M_PI * 2;
  const Motion motion{"dumb-bell",
                      Model({.particles = 2, .springs = {{0, 1}}, .held = {}}, all(2, 1), all(2, 0),
                            {springs(1, 1e4, 1 - omega * omega / 2e4)}),
                      {0, columns({{-0.5, 0, 0}, {0.5, 0, 0}}), columns({{0, -omega / 2, 0}, {0, omega / 2, 0}})},
                      10,
                      {}};
  CHECK(balance_of(motion, "imex_midpoint", 100).max > 0.1);
  CHECK(balance_of(motion, "imex_midpoint", 1000).max < 0.01);
}
