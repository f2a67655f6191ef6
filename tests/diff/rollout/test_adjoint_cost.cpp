#include "diff/loss/trajectory_loss.hpp"
#include "diff/step/step_derivative.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/rich_system.hpp"
#include "tests/support/thread_limit.hpp"
#include "tests/support/torus.hpp"

using namespace pithball;
using namespace pithball::tests;

namespace {

/// A charged torus that swings.
diff::Scenario torus_scenario(const sim::IntegratorChoice& integrator, sim::Index steps, sim::Index around = 29) {
  Torus torus{.stiffness = 10, .charge = 6e-6, .damping = 0.05, .around = around};
  return {.name = "torus",
          .model = torus.model(),
          .initial = torus.state(),
          .integrator = integrator,
          .time_step = 0.015,
          .steps = steps,
          .stage = {.linear_solver = "cholesky"}};
}

/// Every integrator that has derivatives, as a user has it who sets nothing.
std::vector<sim::IntegratorChoice> integrators_as_they_are() {
  const auto names = diff::differentiable_integrators();
  return {names.begin(), names.end()};
}

/// The same, adaptive ones with few substeps.
std::vector<sim::IntegratorChoice> integrators_of_few_substeps() {
  std::vector<sim::IntegratorChoice> choices;
  for (const std::string& name : diff::differentiable_integrators()) choices.push_back(few_substeps(name));
  return choices;
}

sim::Vector gradient_of(diff::AdjointRollout& rollout, const diff::ProbeLoss& loss) {
  REQUIRE(rollout.forward([](sim::Index, const sim::State&) {}).ok());
  return rollout.backward(
      [&](sim::Index n, const sim::State& s, sim::Points& gx, sim::Points& gv) { loss.add_gradient(n, s, gx, gv); });
}

void check_thread_counts(const std::vector<sim::IntegratorChoice>& integrators, sim::Index steps) {
  for (const sim::IntegratorChoice& integrator : integrators) {
    INFO(integrator.name());
    const diff::Scenario s = torus_scenario(integrator, steps, 100);  // 500 charges: work for two threads
    const diff::ProbeLoss loss(s);
    const std::uint64_t before = sim::shared_loops();
    std::vector<sim::Vector> found;
    for (const int threads : {1, 2, 3}) {
      const tests::ThreadLimit limit(threads);
      diff::AdjointRollout rollout(s);
      found.push_back(gradient_of(rollout, loss));
    }
    REQUIRE(found[0].norm() > 0);
    REQUIRE(sim::shared_loops() > before);
    for (const auto& g : found) CHECK(g == found[0]);  // sums are ordered, whoever makes them
  }
}

/// `budgets`: in tapes of a step.
void check_recomputation(const std::vector<sim::IntegratorChoice>& integrators, sim::Index steps,
                         const std::vector<double>& budgets) {
  for (const sim::IntegratorChoice& integrator : integrators) {
    INFO(integrator.name());
    const diff::Scenario s = torus_scenario(integrator, steps, 5);  // what is counted does not grow with the body
    const diff::ProbeLoss loss(s);
    sim::StepTape tape;
    sim::Stepper stepper(s.model, s.initial, s.integrator, s.stage, s.time_step);
    stepper.advance(&tape);
    const double tape_mb = tape.bytes() / 1e6;

    diff::AdjointRollout whole(s, 2 * steps * tape_mb);
    const sim::Vector g = gradient_of(whole, loss);
    const auto plain = whole.backward_cost();
    const long sums = s.integrator.info().force_evaluations, forward = whole.forward_cost().force_evaluations;
    CHECK(forward >= sums * steps);
    CHECK(plain.force_evaluations >= forward);
    if (integrator.name() != "implicit_euler") {  // whose sums and products follow Newton's method and GMRES
      const sim::IntegratorInfo& info = s.integrator.info();
      if (info.startup_steps == 0 && !info.adaptive) CHECK(forward == sums * steps);
      // A product with the explicit forces' linearization for each sum of a step (and one for the history's start), and
      // where the tape holds no stages each sum once more: no step was run again.
      CHECK(plain.force_evaluations <= (sums > 1 || integrator.name() == "explicit_euler" ? 2 : 1) * forward + 1);
    }

    for (const double tapes : budgets) {
      INFO("memory for " << tapes << " tapes");
      diff::AdjointRollout rollout(s, tapes * tape_mb);
      const sim::Vector again = gradient_of(rollout, loss);
      CHECK(again == g);  // to the last bit
      CHECK(rollout.forward_cost().force_evaluations == forward);
      const long recomputed = rollout.backward_cost().force_evaluations - plain.force_evaluations;
      CHECK(recomputed > 0);
      CHECK(recomputed < forward);  // the last segment's tapes are still there
      // What is not run again is the last segment, which fits the budget.
      // Steps of implicit_euler differ in their sums by a Newton iteration: on average they are alike.
      const double again_steps = static_cast<double>(recomputed * steps) / static_cast<double>(forward);
      if (tapes >= 12) CHECK(steps - again_steps <= tapes + (integrator.name() == "implicit_euler" ? 1 : 0.5));
    }
  }
}

void check_losses_in_one_pass(const std::vector<sim::IntegratorChoice>& integrators) {
  for (const sim::IntegratorChoice& integrator : integrators) {
    INFO(integrator.name());
    diff::Scenario s = rich_scenario(integrator.name(), 0.02, 15);
    s.integrator = integrator;
    const diff::ProbeLoss loss(s);
    std::vector<diff::Seed> seeds;
    for (const double factor : {1.0, 0.0, -3.0, 1e-6})
      seeds.emplace_back([&loss, factor](sim::Index n, const sim::State& state, sim::Points& gx, sim::Points& gv) {
        sim::Points x = sim::Points::Zero(3, gx.cols()), v = x;
        loss.add_gradient(n, state, x, v);
        gx += factor * x;
        gv += factor * (n % 2 ? v : x);
      });
    for (const double budget_mb : {1024.0, 0.02}) {
      diff::AdjointRollout rollout(s, budget_mb);
      REQUIRE(rollout.forward([](sim::Index, const sim::State&) {}).ok());
      const Eigen::MatrixXd together = rollout.backward(seeds);
      REQUIRE(together.cols() == 4);
      for (std::size_t c = 0; c < seeds.size(); ++c) {
        const sim::Vector alone = rollout.backward(seeds[c]);
        REQUIRE((alone.norm() > 0) == (c != 1));
        // Stages are solved to 1e-12, one by one or side by side.
        CHECK((together.col(static_cast<sim::Index>(c)) - alone).norm() <= 1e-9 * alone.norm());
      }
    }
  }
}

void check_tangents_between_reversals(const std::vector<sim::IntegratorChoice>& integrators) {
  for (const sim::IntegratorChoice& integrator : integrators) {
    INFO(integrator.name());
    diff::Scenario s = rich_scenario(integrator.name(), 0.02, 15);
    s.integrator = integrator;
    const diff::ProbeLoss loss(s);
    Eigen::MatrixXd directions(s.size(), 2);
    for (sim::Index k = 0; k < s.size(); ++k) {
      const double phase = k;
      directions.row(k) << std::sin(1 + phase), std::cos(3 * phase);
    }
    directions.topRows(s.model.values().size()) *= 1e-3;
    std::vector<Eigen::MatrixXd> expected;
    diff::run_tangent(s, directions,
                      [&](sim::Index, const sim::State&, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
                        expected.push_back(dx);
                        expected.push_back(dv);
                      });
    REQUIRE(expected.size() == 32);
    REQUIRE(expected.back().norm() > 0.1);
    for (const double budget_mb : {1024.0, 0.02}) {
      diff::AdjointRollout rollout(s, budget_mb);
      const sim::Vector gradient = gradient_of(rollout, loss);
      for (int again = 0; again < 2; ++again) {
        std::vector<Eigen::MatrixXd> found;
        rollout.tangent(directions, [&](sim::Index n, const sim::State& state, const Eigen::MatrixXd& dx,
                                        const Eigen::MatrixXd& dv) {
          CHECK(state.t == Approx(static_cast<double>(n) * s.time_step));
          found.push_back(dx);
          found.push_back(dv);
        });
        CHECK(found == expected);  // to the last bit
        CHECK(rollout.backward([&](sim::Index n, const sim::State& state, sim::Points& gx, sim::Points& gv) {
          loss.add_gradient(n, state, gx, gv);
        }) == gradient);
      }
    }
  }
}

}  // namespace

TEST_CASE("adjoint: the gradient does not depend on the number of threads", "[diff][threads][slow]") {
  check_thread_counts(integrators_as_they_are(), 2);
}

TEST_CASE("adjoint: one, two and three threads find the same gradient of one step", "[diff][threads]") {
  check_thread_counts(integrators_of_few_substeps(), 1);
}

TEST_CASE("adjoint: recomputes each step at most once where the tapes do not fit the budget",
          "[diff][checkpoint][slow]") {
  check_recomputation(integrators_as_they_are(), 100, {60.0, 30.0, 12.0, 1e-3});
}

TEST_CASE("adjoint: of 30 steps runs none again twice, and none of those whose tapes fit", "[diff][checkpoint]") {
  check_recomputation(integrators_of_few_substeps(), 30, {12.0, 1e-3});
}

TEST_CASE("adjoint: matrices that a tape keeps count as its memory and change no derivative", "[diff][checkpoint]") {
  for (const std::string& integrator : diff::differentiable_integrators()) {
    INFO(integrator);
    diff::Scenario s = torus_scenario(integrator, 3, 5);
    s.stage.linear_solver = "ssor_cg";  // leaves no preconditioner on the tape
    sim::StepTape tape;
    sim::Stepper stepper(s.model, s.initial, s.integrator, s.stage, s.time_step);
    for (int n = 0; n < 3; ++n) {
      tape = {};
      REQUIRE(stepper.advance(&tape).status == sim::StepStatus::Ok);
    }
    const diff::StepDerivative& derivative = diff::step_derivative(integrator, s.model);
    sim::StepTape kept = tape;
    derivative.keep_stage_matrices(s.model, kept);
    std::size_t bytes = 0;
    const auto count = [&](const sim::StepTape& one) {
      for (const sim::StageSolution& stage : one.stages) {
        REQUIRE(stage.preconditioner);
        bytes += stage.preconditioner->bytes() + (stage.hessian ? stage.hessian->bytes() : 0);
      }
    };
    count(kept);
    for (const sim::StepTape& substep : kept.substeps) count(substep);
    CHECK(kept.bytes() == tape.bytes() + bytes);

    const auto gradient = [&](const sim::StepTape& along) {
      const sim::Points seed = s.initial.x;
      std::vector<diff::StateVariation> a{{{seed, 2 * seed, sim::Vector::Zero(s.model.values().size())},
                                           std::vector<sim::Points>(along.history_before.size(), 3 * seed)}};
      diff::DerivativeCost cost;
      derivative.adjoint(s.model, along, a, cost);
      REQUIRE(a[0].values.norm() > 0);
      return std::pair(a[0].x, a[0].values);
    };
    CHECK(gradient(kept) == gradient(tape));  // to the last bit
  }
}

TEST_CASE("adjoint: one pass costs one stage solve a step whatever the number of parameters", "[diff][cost]") {
  for (const std::string integrator : {"imex_euler", "imex_midpoint"}) {
    const diff::Scenario s = torus_scenario(integrator, 20);
    const diff::ProbeLoss loss(s);
    diff::AdjointRollout rollout(s);
    gradient_of(rollout, loss);
    CHECK(s.size() > 1500);
    CHECK(rollout.backward_cost().linear_solves == 20);
  }
}

TEST_CASE("adjoint: can be reversed again and run again", "[diff][rollout]") {
  for (const std::string& integrator : diff::differentiable_integrators()) {
    const diff::Scenario s = rich_scenario(integrator, 0.02, 15);
    const diff::ProbeLoss loss(s);
    diff::AdjointRollout rollout(s, 0.02);
    const sim::Vector once = gradient_of(rollout, loss);
    const auto seed = [&](sim::Index n, const sim::State& state, sim::Points& gx, sim::Points& gv) {
      loss.add_gradient(n, state, gx, gv);
    };
    CHECK(rollout.backward(seed) == once);
    CHECK(gradient_of(rollout, loss) == once);
  }
}

TEST_CASE("adjoint: several losses in one pass have the gradients of one by one", "[diff][rollout][slow]") {
  check_losses_in_one_pass(integrators_as_they_are());
}

TEST_CASE("adjoint: a pass for several losses, over few substeps, has the gradient of each", "[diff][rollout]") {
  check_losses_in_one_pass(integrators_of_few_substeps());
}

TEST_CASE("adjoint: its record carries tangents too, as a run of their own does, between reversals",
          "[diff][rollout][slow]") {
  check_tangents_between_reversals(integrators_as_they_are());
}

TEST_CASE("adjoint: tangents along a record of few substeps are those of a run of their own", "[diff][rollout]") {
  check_tangents_between_reversals(integrators_of_few_substeps());
}

TEST_CASE("adjoint: zero steps give the direct derivative of the loss", "[diff][rollout]") {
  for (const std::string& integrator : diff::differentiable_integrators()) {
    const diff::Scenario s = rich_scenario(integrator, 0.02, 0, false);
    diff::AdjointRollout rollout(s);
    REQUIRE(rollout.forward([](sim::Index, const sim::State&) {}).ok());
    const sim::Vector g = rollout.backward([](sim::Index n, const sim::State&, sim::Points& gx, sim::Points& gv) {
      CHECK(n == 0);
      gx(1, 2) += 3;
      gv(0, 4) += 5;
    });
    sim::Vector want = sim::Vector::Zero(s.size());
    want[s.position_offset() + 3 * 2 + 1] = 3;
    want[s.velocity_offset() + 3 * 4] = 5;
    CHECK(g == want);
  }
}

TEST_CASE("adjoint: a failed forward run cannot be reversed", "[diff][error]") {
  diff::Scenario s = torus_scenario("velocity_verlet", 200);
  s.time_step = 1;
  diff::AdjointRollout rollout(s);
  const auto status = rollout.forward([](sim::Index, const sim::State&) {});
  CHECK(status.status == sim::StepStatus::Diverged);
  CHECK(status.step < 200);
  sim::Index reached = 0;  // the last good step; the next one failed
  const auto plain = diff::run_forward(s, [&](sim::Index n, const sim::State&) { reached = n; });
  CHECK(plain.status == status.status);
  CHECK(plain.step == reached + 1);
  CHECK(status.step == reached + 1);
  const auto tangent =
      diff::run_tangent(s, Eigen::MatrixXd::Zero(s.size(), 1),
                        [](sim::Index, const sim::State&, const Eigen::MatrixXd&, const Eigen::MatrixXd&) {});
  CHECK(tangent.step == reached + 1);
  CHECK_THROWS_WITH(rollout.backward([](sim::Index, const sim::State&, sim::Points&, sim::Points&) {}),
                    Catch::Contains("must have ended with status ok, got diverged"));
  CHECK_THROWS_WITH(diff::AdjointRollout(s, 0), Catch::Contains("must be > 0 MB"));
}
