// Links with a maximum tension: what happens when it is exceeded.
#include <cmath>

#include "sim/constraint/distance_constraint.hpp"
#include "sim/force/gravity.hpp"
#include "sim/run/simulator.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using pithball::tests::columns;

namespace {

const double weight_of_1_kg = 9.81;

/// Three weights of 1 kg below each other on rods of 1 m; the last rod is the weakest.
Model chain_of_weights(double weakest, double compliance = 0) {
  const auto rods = std::make_shared<DistanceConstraint>(std::vector<Spring>{{0, 1}, {1, 2}, {2, 3}}, Vector::Ones(3),
                                                         Vector::Constant(3, compliance), Vector::Zero(3),
                                                         Vector{{1e3, 1e3, weakest}});
  return Model({.particles = 4, .springs = {}, .held = {{0, {}}}}, Vector::Ones(4), Vector::Zero(4),
               {std::make_shared<Gravity>(Vec3(0, 0, -weight_of_1_kg))}, {rods});
}

const State at_rest{0, columns({{0, 0, 0}, {0, 0, -1}, {0, 0, -2}, {0, 0, -3}}), Points::Zero(3, 4)};

}  // namespace

TEST_CASE("max_tension: a link that carries more breaks, is named, and what hung from it falls",
          "[sim][constraint][breaking]") {
  // Many sweeps: in each substep the rods know of all weights, and the last one carries 9.81 N.
  tests::MapSettings settings(0, {{"iterations", 300.0}});
  const IntegratorChoice integrator("xpbd", settings);
  const Model holds = chain_of_weights(1.01 * weight_of_1_kg), breaks = chain_of_weights(0.99 * weight_of_1_kg);
  const RunOptions options{.integrator = integrator, .time_step = 0.01, .steps = 50, .stage = {}};
  const Trajectory whole = simulate(holds, at_rest, options);
  for (const StepRecord& record : whole.records) CHECK(record.broken.empty());
  CHECK((whole.states.back().x - at_rest.x).norm() < 1e-6);

  const Trajectory torn = simulate(breaks, at_rest, options);
  REQUIRE(torn.status == StepStatus::Ok);
  REQUIRE(torn.records.size() == 50);
  REQUIRE(torn.records[0].broken.size() == 1);
  const BrokenLink& link = torn.records[0].broken[0];
  CHECK(link.t == Approx(0.001));  // in the first substep
  CHECK(link.constraint == 0);
  CHECK(link.row.item == 2);
  CHECK(link.row.particles[0] == 2);
  CHECK(link.row.particles[1] == 3);
  CHECK(link.tension == Approx(weight_of_1_kg).epsilon(1e-6));
  for (std::size_t n = 1; n < torn.records.size(); ++n) CHECK(torn.records[n].broken.empty());
  // It fell from rest for 0.5 s but for the substep in which the rod still held; first order in Δt.
  CHECK(torn.states.back().x(2, 3) ==
        Approx(-3 - weight_of_1_kg * 0.5 * 0.5 / 2).margin(2 * weight_of_1_kg * 0.5 * 0.001));
  CHECK((torn.states.back().x.leftCols(3) - at_rest.x.leftCols(3)).norm() < 1e-6);
}

TEST_CASE("max_tension: a broken link stores no energy and a model without it is the one that the run continues with",
          "[sim][constraint][breaking]") {
  const Model model = chain_of_weights(5, 1e-3);
  Stepper run(model, at_rest, "xpbd", {}, 0.01);
  while (run.n() < 100 && &run.model() == &model) REQUIRE(run.advance().status == StepStatus::Ok);
  REQUIRE(&run.model() != &model);
  REQUIRE(run.n() > 1);
  CHECK(run.model().values().data() == model.values().data());
  std::vector<ConstraintRow> rows;
  const Constraint& rest = *run.model().constraints()[0];
  rest.add_rows(run.model(), at_rest.x, Vector::Zero(4), rows);
  CHECK(rows.size() == 2);
  Points apart = at_rest.x;
  apart(2, 3) = -7;
  CHECK(stored_energy(rest, run.model(), apart) == 0);
  CHECK(stored_energy(*model.constraints()[0], model, apart) > 1);
  // Steps after the break are those of a fresh run of that model.
  const State broken_at = run.state();
  Stepper fresh(run.model(), broken_at, "xpbd", {}, 0.01);
  for (int n = 0; n < 10; ++n) {
    run.advance();
    fresh.advance();
  }
  CHECK((run.state().x - fresh.state().x).norm() < 1e-12);
}

TEST_CASE("max_tension: several links can break, also in one step, and values may have key frames",
          "[sim][constraint][breaking]") {
  const Model constant = chain_of_weights(1);
  const Index length = constant.values().block(*constant.values().find("distance_length")).offset;
  const Model model = constant.with_key_frames({length}, {0.0, 1.0});
  State pulled = at_rest;
  pulled.v.col(2) = Vec3(0, 0, -1e4);  // tears both rods at it
  const Trajectory run = simulate(model, pulled, {.integrator = "xpbd", .time_step = 0.01, .steps = 3, .stage = {}});
  std::size_t broken = 0;
  for (const StepRecord& record : run.records) broken += record.broken.size();
  CHECK(broken == 3);
}

TEST_CASE("max_tension: must be positive, for each link", "[sim][constraint][error]") {
  CHECK_THROWS_WITH(chain_of_weights(0), Catch::Contains("constraints.distance.max_tension: must be > 0 N, got 0"));
  const Vector one = Vector::Ones(1);
  CHECK_THROWS_WITH(
      DistanceConstraint({{0, 1}}, one, one, one, Vector::Ones(2)),
      Catch::Contains("constraints.distance.max_tension: must have one entry for each of the 1 links, got 2"));
}
