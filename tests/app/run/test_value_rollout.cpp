#include "app/run/value_functions.hpp"

#include <fmt/format.h>

#include <random>

#include "app/experiment/experiment_file.hpp"
#include "app/run/run_judge.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::app;
using Catch::Contains;

namespace {

/// The small experiment of the tests with these parameters and changes.
ValueRollout rollout_of(const std::string& parameters, const std::string& integrator = "imex_midpoint") {
  return ValueRollout(parse_document(test::small_experiment, {"small.yaml"},
                                     {{"fit.parameters", parameters, "here"},
                                      {"simulation.integrator", integrator, "here"},
                                      {"output.every", "3", "here"}}));
}

}  // namespace

TEST_CASE("rollout: at the start it is the run of the experiment to the last bit", "[app][rollout]") {
  const ValueRollout rollout = rollout_of("[charge, stiffness, damping]");
  const Experiment experiment =
      read_experiment(parse_document(test::small_experiment, {"small.yaml"}, {{"output.every", "3", "here"}}));
  const Motion motion = rollout.run(rollout.start()).motion;
  Index t = 0;
  diff::run_forward(experiment.scenario, [&](Index n, const sim::State& state) {
    if (n % 3 != 0 && n != experiment.scenario.steps) return;
    CHECK(rollout.times()[t] == Approx(state.t).epsilon(1e-12));
    CHECK(motion.x.col(t) == sim::flat(state.x));
    CHECK(motion.v.col(t++) == sim::flat(state.v));
  });
  CHECK(t == rollout.times().size());
}

TEST_CASE("rollout: derivatives forward, backward and by differences agree", "[app][rollout][fd]") {
  for (const std::string integrator : {"imex_midpoint", "velocity_verlet"}) {
    const ValueRollout rollout = rollout_of("[charge, {stiffness: {share: none}}]", integrator);
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    const optim::Vector p = 1.1 * rollout.start();
    optim::Vector dp = p;
    for (double& value : dp) value *= normal(random);
    constexpr double h = 1e-5;  // errors of h² beside rounding of 1e-16/h
    const Motion change = rollout.push_forward(p, dp), after = rollout.run(p + h * dp).motion,
                 before = rollout.run(p - h * dp).motion;
    CHECK(change.x.norm() > 0);
    CHECK((change.x - (after.x - before.x) / (2 * h)).norm() < 1e-7 * change.x.norm());
    CHECK((change.v - (after.v - before.v) / (2 * h)).norm() < 1e-7 * change.v.norm());
    Motion gradient = change;
    for (Eigen::MatrixXd* g : {&gradient.x, &gradient.v})
      for (double& value : g->reshaped()) value = normal(random);
    RecordedRollout recorded(rollout, p);
    CHECK(recorded.motion().x == rollout.run(p).motion.x);
    const double expected = gradient.x.cwiseProduct(change.x).sum() + gradient.v.cwiseProduct(change.v).sum();
    CHECK(recorded.pull_back(gradient).dot(dp) == Approx(expected).epsilon(1e-9));
    CHECK(recorded.pull_back({gradient.x, {}}).dot(dp) ==
          Approx(gradient.x.cwiseProduct(change.x).sum()).epsilon(1e-9));
  }
}

TEST_CASE("rollout: what simulate doubts is doubted, and nothing else", "[app][rollout]") {
  // A dumb-bell too stiff for its step, at any size, and with a step that resolves it.
  for (const double size : {1e-9, 1.0, 1e9})
    for (const bool is_stiff : {true, false}) {
      const std::string text = fmt::format(
          "name: dumb\nsystem: {{vertices: [[0, 0, 0], [{}, 0, 0]], mass: 0.1, pinned: [0], springs: {{edges: [[0, "
          "1]], "
          "stiffness: {}, rest_length: {}, damping: 0.01}}}}\nsimulation: {{time_step: 1 ms, duration: 0.1 s}}\n"
          "fit: {{parameters: [stiffness]}}\n",
          1.2 * size, is_stiff ? 1e12 : 100, size);
      INFO(text);
      const ExperimentDocument document = parse_document(text, {"dumb"});
      const ValueRollout rollout(document);
      const JudgedMotion found = rollout.run(rollout.start());
      const JudgedRun run = judge_run(read_experiment(document).scenario, 1);
      CHECK(run.is_complete);
      CHECK((run.verdict.grade() == optim::Grade::Good) == !is_stiff);
      CHECK(found.doubt == (is_stiff ? "doubtful: " + run.verdict.explanation() : ""));
      CHECK(rollout.run_all(rollout.start()).front().doubt == found.doubt);
      test::Workplace place;
      place.write("dumb.yaml", text);
      const test::Outcome simulated = place.run("simulate dumb.yaml --json");
      CHECK(simulated.json()["status"] == (is_stiff ? "doubtful" : "ok"));
      if (is_stiff) CHECK(run.verdict.why == simulated.json()["why"]);
    }
}

TEST_CASE("rollout: what cannot be meant is rejected", "[app][rollout][error]") {
  const ValueRollout rollout = rollout_of("[stiffness]");
  CHECK_THROWS_WITH(rollout.run(optim::Vector::Ones(2)), Contains("must hold 1 values"));
  CHECK_THROWS_WITH(rollout.run(optim::Vector::Constant(1, -1)), Contains("stiffness"));
  CHECK_THROWS_WITH(rollout.run(optim::Vector::Constant(1, NAN)), Contains("must be finite"));
  CHECK_THROWS_AS(rollout_of("[stiffness]", "velocity_verlet").run(optim::Vector::Constant(1, 1e9)), SimulationFailed);
  CHECK_THROWS_WITH(ValueRollout(parse_document(test::small_experiment, {"small.yaml"})),
                    Contains("must list the values that may change"));
}

TEST_CASE("parse_document: a text that is no file has a place, and may not include another", "[app][rollout][error]") {
  CHECK_THROWS_WITH(parse_document("include: other.yaml\n", {"mapping"}), Contains("mapping:1:1 include"));
  CHECK_THROWS_WITH(read_experiment(parse_document("name: x\nsystem: {mas: 1}\n", {"mapping"})), Contains("mapping:2"));
}
