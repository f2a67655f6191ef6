#include <cmath>

#include "sim/check/observed_order.hpp"
#include "sim/force/gravity.hpp"
#include "sim/run/simulator.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

TEST_CASE("tracers: every integrator for first-order problems carries them with its order, the others reject",
          "[sim][integrator][tracers][order]") {
  const KnownMotion motion = vortex_tracers();
  std::vector<State> wanted;
  for (int k = 1; k <= 8; ++k) wanted.push_back(motion.exact(motion.duration * k / 8));
  REQUIRE((wanted.back().x - motion.initial.x).norm() > 1);
  int able = 0;
  for (const auto& info : integrators()) {
    INFO(info.name);
    if (!info.supports.tracers) {
      CHECK_THROWS_WITH(Stepper(motion.model, motion.initial, info.name, {}, 0.01),
                        Catch::Contains("first-order") && Catch::Contains(info.name));
      continue;
    }
    ++able;
    const Index steps = steps_to_measure(info);
    const auto errors = [&](Index n) {
      return measure_errors({motion.model, motion.initial, motion.duration, wanted}, uncontrolled(info.name), n)
          .value();
    };
    const RunErrors coarse = errors(steps), fine = errors(2 * steps);
    CHECK(fine.x > 1e-11);
    CHECK(std::log2(coarse.x / fine.x) == Approx(info.position_order).margin(order_margin(info.position_order)));
    CHECK(std::log2(coarse.v / fine.v) ==
          Approx(info.position_order).margin(order_margin(info.position_order)));  // v is u at the places found
  }
  CHECK(able == 17);
}

TEST_CASE("tracers: the embedded pairs keep their tolerances", "[sim][integrator][tracers][adaptive]") {
  const KnownMotion motion = vortex_tracers();
  for (const auto& info : integrators()) {
    if (!info.supports.tracers || !info.adaptive) continue;
    INFO(info.name);
    Stepper stepper(motion.model, motion.initial, info.name, {}, 0.4);
    std::size_t substeps = 0;
    for (int n = 0; n < 4; ++n) {
      const StepRecord record = stepper.advance();
      REQUIRE(record.status == StepStatus::Ok);
      substeps += record.substeps.size();
    }
    CHECK(substeps > 8);
    // 1e-7 m for each of at most a few thousand substeps.
    CHECK((stepper.state().x - motion.exact(1.6).x).norm() < 1e-4);
  }
}

TEST_CASE("tracers: have the field's velocity from the start, no energy, and stay where they are pinned",
          "[sim][integrator][tracers]") {
  const KnownMotion motion = vortex_tracers();
  Topology topology = motion.model.topology();
  topology.held = {{1, {}}};
  const Model model(topology, motion.model.mass(), motion.model.charge(), {});
  State start = motion.initial;
  start.v.setZero();
  const Trajectory run = simulate(model, start, {.integrator = "rk4", .time_step = 0.05, .steps = 20, .stage = {}});
  REQUIRE(run.status == StepStatus::Ok);
  for (const State& s : run.states) {
    CHECK(s.x.col(1) == start.x.col(1));
    CHECK(s.v.col(1).isZero(0));
    const Vec3 flow = topology.flow->value(s.x.col(0), s.t);
    CHECK((s.v.col(0) - flow).norm() <=
          1e-15 * flow.norm());  // the library and this test may order operations differently
    CHECK(s.v.col(0).norm() > 0.1);
  }
  CHECK(run.energy.back().total() == 0);
}

TEST_CASE("tracers: springs and forces are rejected", "[sim][model][tracers][error]") {
  const KnownMotion motion = vortex_tracers();
  Topology topology = motion.model.topology();
  const Vector none = Vector::Zero(3);
  CHECK_THROWS_WITH(Model(topology, none, none, {std::make_shared<Gravity>(Vec3(0, 0, -1))}),
                    Catch::Contains("tracers: must have no springs and no forces"));
  topology.springs = {{0, 1}};
  CHECK_THROWS_WITH(Model(topology, none, none, {}), Catch::Contains("tracers: must have no springs and no forces"));
  CHECK_THROWS_WITH(Model({.particles = 3, .springs = {}, .held = {}}, none, none, {}),
                    Catch::Contains("mass[0]: must be > 0"));  // a body needs its masses
}
