#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/motions.hpp"
#include "tests/support/rich_system.hpp"

using namespace pithball;
using namespace pithball::tests;

namespace {

sim::RunErrors errors_of(const Motion& motion, const std::string& integrator, sim::Index steps,
                         const std::vector<sim::State>& wanted, const std::set<std::size_t>& restarts = {}) {
  const auto errors = sim::measure_errors({motion.model, motion.initial, motion.duration, wanted, restarts},
                                          uncontrolled(integrator), steps);
  REQUIRE(errors);
  return *errors;
}

std::vector<sim::State> wanted_states(const Motion& motion, int count) {
  std::vector<sim::State> wanted;
  for (int k = 1; k <= count; ++k) {
    const double t = motion.duration * k / count;
    wanted.push_back(motion.exact ? motion.exact(t) : fine_state(motion, t, motion.duration / 12800));
  }
  return wanted;
}

}  // namespace

TEST_CASE("motions: the fine reference agrees with the closed forms", "[sim][integrator][order]") {
  for (const Motion& motion : all_motions()) {
    if (!motion.exact) continue;
    INFO(motion.name);
    const sim::State fine = fine_state(motion, motion.duration, motion.duration / 3200),
                     exact = motion.exact(motion.duration);
    CHECK((fine.x - exact.x).norm() < 1e-11);  // fourth order: (5e-4)⁴ times derivatives up to 1e2
    CHECK((fine.v - exact.v).norm() < 1e-11);
  }
}

namespace {

/// A motion with its solution at eight times.
struct Known {
  Motion motion;
  std::vector<sim::State> wanted;
};

const std::vector<Known>& known_motions() {
  static const std::vector<Known> list = [] {
    std::vector<Motion> motions = all_motions();
    const diff::Scenario rich =
        rich_scenario("imex_euler", 0, 0);  // all forces, a pinned and a driven particle at once
    motions.push_back({"all forces", rich.model, rich.initial, 0.4, {}});
    std::vector<Known> known;
    for (const Motion& motion : motions) known.push_back({motion, wanted_states(motion, 8)});
    return known;
  }();
  return list;
}

/// Whether a path in the motion bends; at its knots its acceleration jumps, which no polynomial through the past
/// follows.
bool has_knots(const Motion& motion) {
  for (const sim::Held& held : motion.model.topology().held)
    if (held.path && held.path->velocity(0) != held.path->velocity(motion.duration / 2)) return true;
  return false;
}

/// The order that an integrator shows in a motion: a kink within the reach of several steps leaves the second.
int expected_order(const sim::IntegratorInfo& info, int order, const Motion& motion) {
  return info.startup_steps > 0 && has_knots(motion) ? std::min(order, 2) : order;
}

}  // namespace

TEST_CASE("integrators: positions and velocities have the order that the integrator states",
          "[sim][integrator][order]") {
  for (const auto& info : sim::integrators()) {
    double lowest_x = 9, lowest_v = 9;
    const sim::Index steps = sim::steps_for_order(info.position_order);
    const double margin = info.position_order <= 2 ? 0.1 : order_margin(info.position_order);
    for (const auto& [motion, wanted] : known_motions()) {
      const sim::RunErrors coarse = errors_of(motion, info.name, steps, wanted),
                           fine = errors_of(motion, info.name, 2 * steps, wanted);
      const double order_x = std::log2(coarse.x / fine.x), order_v = std::log2(coarse.v / fine.v);
      INFO(info.name << ", " << motion.name << ": order " << order_x << " and " << order_v << ", errors " << fine.x
                     << " and " << fine.v);
      // What an integrator solves exactly (imex_midpoint the decay's velocity, by its flow) has rounding and no order.
      if (fine.x > 1e-11) {
        CHECK(order_x > expected_order(info, info.position_order, motion) - margin);
        if (!has_knots(motion)) lowest_x = std::min(lowest_x, order_x);
      }
      if (fine.v > 1e-11) {
        CHECK(order_v > expected_order(info, info.velocity_order, motion) - margin);
        if (!has_knots(motion)) lowest_v = std::min(lowest_v, order_v);
      }
    }
    INFO(info.name << " does better than it states: " << lowest_x << " and " << lowest_v);
    CHECK(lowest_x < info.position_order + margin);
    CHECK(lowest_v < info.velocity_order + margin);
  }
}

TEST_CASE("integrators: a restart, as after an event, keeps the order", "[sim][integrator][order]") {
  for (const auto& info : sim::integrators()) {
    const sim::Index steps = sim::steps_for_order(info.position_order);
    for (const auto& [motion, wanted] : known_motions()) {
      if (motion.name != "damped oscillator" && motion.name != "windy triangle") continue;
      const sim::RunErrors coarse = errors_of(motion, info.name, steps, wanted, {2, 4}),
                           fine = errors_of(motion, info.name, 2 * steps, wanted, {2, 4});
      const double order_x = std::log2(coarse.x / fine.x), order_v = std::log2(coarse.v / fine.v);
      INFO(info.name << ", " << motion.name << ": order " << order_x << " and " << order_v);
      REQUIRE(fine.x > 1e-11);
      CHECK(order_x > info.position_order - order_margin(info.position_order));
      CHECK(order_v > info.velocity_order - order_margin(info.velocity_order));
    }
  }
}
