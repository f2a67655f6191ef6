#include "sim/integrator/impulses.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/motions.hpp"
#include "tests/support/rich_system.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

IntegratorChoice theta(double value, const std::string& newton_iterations = "converge") {
  MapSettings settings(0, {{"theta", value}, {"newton_iterations", newton_iterations}});
  return {"theta", settings};
}

State end_of(const Motion& motion, const IntegratorChoice& integrator, Index steps) {
  Stepper stepper(motion.model, motion.initial, integrator, {.tolerance = 1e-13}, motion.duration / steps);
  for (Index n = 0; n < steps; ++n) REQUIRE(stepper.advance().status == StepStatus::Ok);
  return stepper.state();
}

}  // namespace

TEST_CASE("theta: a step solves its two equations with every force at both ends", "[sim][integrator][theta]") {
  const diff::Scenario s = rich_scenario("theta", 0.02, 0);
  for (const double value : {0.3, 0.5, 1.0})
    for (const std::string linear : {"block_jacobi_cg", "ssor_cg", "prefactored_cg", "cholesky"}) {
      INFO("theta " << value << " " << linear);
      const double h = 0.02;
      Stepper stepper(s.model, s.initial, theta(value), {.linear_solver = linear, .tolerance = 1e-13}, h);
      for (int n = 0; n < 3; ++n) {
        const State before = stepper.state();
        const StepRecord record = stepper.advance();
        REQUIRE(record.status == StepStatus::Ok);
        CHECK(record.work.linear_solves >= 2);
        const State& after = stepper.state();
        const Points a = acceleration(s.model, before), b = acceleration(s.model, after);
        REQUIRE((a - b).norm() > 0.1);
        Points gap_x = after.x - before.x - h * ((1 - value) * before.v + value * after.v),
               gap_v = after.v - before.v - h * ((1 - value) * a + value * b);
        s.model.clear_held(gap_x);
        s.model.clear_held(gap_v);
        CHECK(gap_x.norm() < 1e-12);
        CHECK(gap_v.norm() < 1e-10);  // the residual's 1e-13 m over θh
      }
    }
}

TEST_CASE("theta: 0 is explicit_euler and 1 implicit_euler", "[sim][integrator][theta]") {
  const Motion motion = windy_triangle();
  CHECK(distance(end_of(motion, theta(0), 50), end_of(motion, "explicit_euler", 50)) < 1e-12);
  CHECK(distance(end_of(motion, theta(1), 50), end_of(motion, "implicit_euler", 50)) == 0);
  CHECK(distance(end_of(motion, theta(1), 50), end_of(motion, theta(0.5), 50)) > 1e-3);
}

TEST_CASE("theta: one Newton step is exact for linear forces and keeps the order for others",
          "[sim][integrator][theta][order]") {
  const Motion linear = oscillator(0.9), curved = windy_triangle();
  for (const double value : {0.5, 1.0}) {
    INFO("theta " << value);
    CHECK(distance(end_of(linear, theta(value, "1"), 40), end_of(linear, theta(value), 40)) < 1e-10);
    const State wanted = fine_state(curved, curved.duration, curved.duration / 12800);
    const auto error = [&](const std::string& newton, Index steps) {
      return distance(end_of(curved, theta(value, newton), steps), wanted);
    };
    CHECK(error("1", 100) != error("converge", 100));
    const double order = value == 0.5 ? 2 : 1;
    for (const std::string newton : {"1", "converge"})
      CHECK(std::log2(error(newton, 320) / error(newton, 640)) == Approx(order).margin(0.1));
  }
}

TEST_CASE("theta: info states the order and reversibility of its settings", "[sim][integrator][theta]") {
  CHECK(theta(0.5).make()->info().position_order == 2);
  CHECK(theta(0.5).make()->info().time_reversible);
  CHECK(theta(0.6).make()->info().position_order == 1);
  CHECK(theta(0.6).info().position_order == 1);
  CHECK(theta(0.5).info().position_order == 2);
  CHECK(theta(1).info().name == "theta");
  CHECK_FALSE(theta(0.6).make()->info().time_reversible);
  CHECK_FALSE(theta(0).make()->info().implicit);
}

TEST_CASE("theta: settings that mean nothing are rejected", "[sim][integrator][theta][error]") {
  CHECK_THROWS_WITH(theta(1.5), Catch::Contains("theta: must be between 0 and 1, got 1.5"));
  CHECK_THROWS_WITH(theta(0.5, "2"), Catch::Contains("newton_iterations"));
}

TEST_CASE("implicit_euler: is stable and damps at steps far beyond 2/ω", "[sim][integrator][theta]") {
  Motion stiff = oscillator(0);
  const double before = stiff.initial.v.norm();
  stiff.duration = 200;  // ω = 5.3 rad/s, h = 2 s
  const State end = end_of(stiff, "implicit_euler", 100);
  const Vec3 relative = end.v.col(0) - end.v.col(1);
  REQUIRE(before > 0.1);
  CHECK(relative.norm() < 1e-10);
  CHECK((end.x.col(0) - end.x.col(1)).norm() == Approx(0.8).epsilon(1e-9));  // at its rest length
}
