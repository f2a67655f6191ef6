#include "diff/rollout/tangent_rollout.hpp"

#include <stdexcept>

#include "diff/step/step_derivative.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rich_system.hpp"
#include "tests/support/some_directions.hpp"
#include "tests/support/thread_limit.hpp"

using namespace pithball;
using namespace pithball::diff;

namespace {

/// Enough steps that a second thread pays.
constexpr Index steps = 100;

/// What a run shows: states and derivatives of every step, in order.
struct Seen {
  std::vector<Index> steps;
  std::vector<Eigen::MatrixXd> all;
  RolloutStatus status;
  RolloutCost cost;

  explicit Seen(const Scenario& s) {
    status = run_tangent(
        s, tests::some_directions(s, 2),
        [&](Index n, const State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
          steps.push_back(n);
          for (const Eigen::MatrixXd& one : {Eigen::MatrixXd(state.x), Eigen::MatrixXd(state.v), dx, dv})
            all.push_back(one);
        },
        &cost);
  }
};

}  // namespace

TEST_CASE("tangent relay: derivatives that follow a run on another thread are the same to the last bit",
          "[diff][rollout]") {
  for (const std::string& integrator : differentiable_integrators()) {
    INFO(integrator);
    const Scenario s = tests::rich_scenario(integrator, 0.002, steps);
    if (s.integrator.info().adaptive && integrator != "imex_adaptive") continue;  // many substeps, as in that one
    const tests::ThreadLimit alone(1);
    const std::uint64_t shared = sim::shared_loops();
    const Seen one(s);
    CHECK(sim::shared_loops() == shared);
    REQUIRE(one.status.ok());
    REQUIRE(one.steps.size() == steps + 1);
    REQUIRE(one.all.back().norm() > 0.1);
    for (const int threads : {2, 3}) {
      const tests::ThreadLimit limit(threads);
      const Seen more(s);
      CHECK(sim::shared_loops() > shared);
      CHECK(more.steps == one.steps);
      CHECK(more.all == one.all);
      CHECK(more.status.unreliable_step == one.status.unreliable_step);
      CHECK(more.cost.cg_iterations == one.cost.cg_iterations);
      CHECK(more.cost.force_evaluations == one.cost.force_evaluations);
    }
  }
}

TEST_CASE("tangent relay: a run that fails has shown all steps before", "[diff][rollout]") {
  Scenario s = tests::rich_scenario("velocity_verlet", 0.02, 2000);
  s.time_step = 2;
  for (const int threads : {1, 2}) {
    const tests::ThreadLimit limit(threads);
    const Seen seen(s);
    CHECK_FALSE(seen.status.ok());
    CHECK(static_cast<Index>(seen.steps.size()) == seen.status.step);
  }
}

TEST_CASE("tangent relay: an exception of either side ends the run", "[diff][rollout]") {
  const Scenario s = tests::rich_scenario("imex_midpoint", 0.02, steps);
  const Eigen::MatrixXd directions = tests::some_directions(s, 2);
  for (const int threads : {1, 2}) {
    const tests::ThreadLimit limit(threads);
    for (const bool of_derivative : {true, false}) {
      Index last = 0;
      const auto throws_at = [](bool does, Index n) {
        if (does && n == 5) throw std::runtime_error("five");
      };
      const auto run = [&] {
        run_tangent_until(
            s, directions, steps,
            [&](const sim::Stepper& at) {
              last = at.n();
              throws_at(!of_derivative, at.n());
            },
            [&](Index n, const State&, const Eigen::MatrixXd&, const Eigen::MatrixXd&) {
              throws_at(of_derivative, n);
            });
      };
      CHECK_THROWS_WITH(run(), "five");
      CHECK(last < steps);
    }
  }
}

TEST_CASE("tangent sweep: directions side by side, in several groups, are carried as each alone",
          "[diff][rollout][integrator]") {
  constexpr Index count = 19;  // more than a group, and no multiple of what vector instructions take at once
  for (const std::string& integrator : differentiable_integrators()) {
    INFO(integrator);
    const Scenario s = tests::rich_scenario(integrator, 0.002, 3);
    const Eigen::MatrixXd directions = tests::some_directions(s, count);
    const auto end_of = [&](const Eigen::MatrixXd& along) {
      Eigen::MatrixXd end;
      const RolloutStatus status =
          run_tangent(s, along, [&](Index, const State&, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
            end.resize(2 * dx.rows(), dx.cols());
            end << dx, dv;
          });
      REQUIRE(status.ok());
      return end;
    };
    const Eigen::MatrixXd together = end_of(directions);
    for (const Index p : {Index{0}, Index{7}, Index{15}, Index{16}, count - 1}) {
      INFO("direction " << p);
      const Eigen::MatrixXd alone = end_of(directions.col(p));
      // Solves with stage Hessians are accurate to 1e-12, and share their products among directions.
      CHECK((together.col(p) - alone).norm() < 1e-10 * alone.norm());
    }
  }
}
