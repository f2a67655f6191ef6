#include "optim/fit/multiple_shooting.hpp"

#include <cmath>
#include <memory>

#include "optim/fit.hpp"
#include "sim/core/error.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::record;
using pithball::test::shared;

namespace {

struct Swing {
  double charge = 1e-6, stiffness = 300, drag = 2e-3;
};

/// A double pendulum of two charged bobs (0.1 kg) on springs of 0.5 m in a field of 1 MV/m: it turns over.
diff::Scenario double_pendulum(const Swing& swing, double time_step, Index steps) {
  using namespace sim;
  Topology topology{.particles = 3, .springs = {{0, 1}, {1, 2}}, .held = {{0, {}}}};
  State start{0, Points(3, 3), Points::Zero(3, 3)};
  start.x << 0, 0.35, 0.6, 0, 0, 0, 0, 0.35, 0.78;
  const Vector ones = Vector::Ones(2);
  const Vector drag = Vector::Constant(3, swing.drag), mass = Vector::Constant(3, 0.1);
  Vector charge(3);
  charge << 0, swing.charge, swing.charge;
  Model model(topology, mass, charge,
              {std::make_shared<SpringForce>(swing.stiffness * ones, 0.5 * ones), std::make_shared<SpringDamper>(ones),
               std::make_shared<LinearDrag>(drag, std::make_shared<UniformField>(Vec3::Zero())),
               std::make_shared<ElectricField>(std::make_shared<UniformField>(Vec3(0, 0, -1e6)))});
  return {.name = "double pendulum",
          .model = model,
          .initial = start,
          .integrator = "imex_midpoint",
          .time_step = time_step,
          .steps = steps,
          .stage = {}};
}

Parameter charge_of_bobs() {
  Parameter p = shared("charge");
  p.entries.selected = {1, 2};
  return p;
}

constexpr double turning_noise = 1e-3;  // [m]

/// 4 s of the double pendulum, from other values than those that made the recording.
FitProblem forgetful_problem() {
  const Swing guess{.charge = 0.7e-6, .stiffness = 450, .drag = 6e-3};
  FitProblem problem;
  problem.scenarios = {double_pendulum(guess, 0.005, 800)};
  problem.observations = {record(test::refined(double_pendulum({}, 0.005, 800)), 40, turning_noise, 1)};
  problem.parameters = {charge_of_bobs(), shared("stiffness"), shared("linear_drag")};
  return problem;
}

/// A chain of that many masses, fixed at one end, that falls.
diff::Scenario falling_chain(double stiffness, Index n) {
  using namespace sim;
  Topology topology{.particles = n, .springs = {}, .held = {{0, {}}}};
  State start{0, Points::Zero(3, n), Points::Zero(3, n)};
  for (Index i = 0; i < n; ++i) start.x.col(i) << 0.05 * i, 0.02 * std::sin(0.6 * i), 0;
  for (Index i = 1; i < n; ++i) topology.springs.push_back({i - 1, i});
  const Vector ones = Vector::Ones(n - 1);
  Model model(topology, Vector::Constant(n, 0.01), Vector::Zero(n),
              {std::make_shared<SpringForce>(stiffness * ones, 0.05 * ones),
               std::make_shared<LinearDrag>(Vector::Constant(n, 1e-3), std::make_shared<UniformField>(Vec3::Zero())),
               std::make_shared<Gravity>(Vec3(0, 0, -9.81))});
  return diff::Scenario{.name = "chain",
                        .model = model,
                        .initial = start,
                        .integrator = "velocity_verlet",
                        .time_step = 0.002,
                        .steps = 400,
                        .stage = {}};
}

/// Finds stiffness and drag of the chain along with more than `least_states` numbers of where its pieces start.
void find_with_states(Index particles, Index segments, Index least_states) {
  FitProblem problem;
  problem.scenarios = {falling_chain(30, particles)};
  problem.observations = {record(falling_chain(50, particles), 4, 1e-4, 5)};
  problem.parameters = {shared("stiffness"), shared("linear_drag")};
  problem.uncertainty.options.absolute_sigma = true;
  const Index states = 2 * (segments - 1) * 3 * (particles - 1);
  REQUIRE(states > least_states);
  EvaluationCounts counts;
  const ParameterMap map = make_parameter_map(problem);
  const MinimizerReport report = multiple_shooting(problem, segments, map.initial(), counts);
  CAPTURE(report.message);
  CHECK(report.status == MinimizerStatus::Converged);
  CHECK(map.physical(report.theta)[0] == Approx(50).epsilon(1e-3));
  CHECK(map.physical(report.theta)[1] == Approx(1e-3).epsilon(0.05));
}

}  // namespace

TEST_CASE("multiple shooting: finds the values of a motion that forgets its start, where one piece does not",
          "[optim][search][shooting]") {
  const FitProblem problem = forgetful_problem();
  const Swing truth;
  const FitReport alone = fit(problem);
  CHECK(alone.goodness.errors.fit.model > 20 * turning_noise);  // stuck: it turns over at other times

  EvaluationCounts counts;
  const Vector start = make_parameter_map(problem).initial();
  const MinimizerReport shot = multiple_shooting(problem, 8, start, counts);
  CAPTURE(shot.message, counts.forward, counts.tangent);
  CHECK(shot.status == MinimizerStatus::Converged);
  CHECK(counts.tangent < 200);
  const Vector p = make_parameter_map(problem).physical(shot.theta);
  // The noise leaves less; what the step of the fit is wrong by, adds up over 4 s.
  CHECK(p[0] == Approx(truth.charge).epsilon(0.002));
  CHECK(p[1] == Approx(truth.stiffness).epsilon(0.01));
  CHECK(p[2] == Approx(truth.drag).epsilon(0.05));
}

TEST_CASE("multiple shooting: as a stage, it leads the fit of a motion that forgets its start",
          "[optim][search][shooting]") {
  FitProblem problem = forgetful_problem();
  problem.search.stages = {{.segments = 8}};
  const FitReport joined = fit(problem);
  CHECK(joined.search.status == MinimizerStatus::Converged);
  CHECK(joined.goodness.errors.fit.model <
        3 * turning_noise);  // of three components, with what the step of the fit leaves
  CHECK(joined.estimates.parameters[0].estimate == Approx(Swing{}.charge).epsilon(0.002));
}

TEST_CASE("multiple shooting: where one piece serves, both find the same", "[optim][search][shooting]") {
  const auto body = [](double charge) { return test::make_body("body", {.charge = charge, .field = true}); };
  FitProblem problem;
  problem.scenarios = {body(5e-6)};
  problem.observations = {record(test::refined(body(6e-6)), 50, 1e-3, 3)};
  problem.parameters = {shared("charge"), shared("stiffness")};
  // A loss and a prior count as they do in one piece.
  problem.loss = RobustLoss("huber", 2.5);
  problem.parameters[1].priors = {GaussianPrior{.mean = 12, .deviation = 1}};
  problem.uncertainty.options.absolute_sigma = true;  // otherwise a fit goes on with the scale that its residuals have
  const FitReport one = fit(problem);
  EvaluationCounts counts;
  const MinimizerReport several = multiple_shooting(problem, 5, make_parameter_map(problem).initial(), counts);
  CHECK(several.status == MinimizerStatus::Converged);
  CHECK(several.cost == Approx(one.search.cost_history.back()).epsilon(1e-3));
  CHECK((several.theta - one.theta).lpNorm<Eigen::Infinity>() < 1e-3);
}

TEST_CASE("multiple shooting: of a clock too, whose frames move from piece to piece", "[optim][search][shooting]") {
  const auto body = [](double charge) { return test::make_body("body", {.charge = charge, .field = true}); };
  FitProblem problem;
  problem.scenarios = {body(5e-6)};
  Observation seen = record(test::refined(body(6e-6)), 50, 1e-3, 3);
  const double late = 2.3 * problem.scenarios[0].time_step;  // recorded times are so much too late
  for (double& time : seen.times) time += late;
  seen.times.pop_back();
  seen.positions.pop_back();
  seen.recording_frame.clock_offset = -0.5 * late;
  problem.observations = {seen};
  problem.parameters = {shared("charge"), shared("clock_offset")};
  problem.parameters[1].recordings.sharing = RecordingSharing::Each;
  problem.uncertainty.options.absolute_sigma = true;
  const FitReport one = fit(problem);
  const ParameterMap map = make_parameter_map(problem);
  EvaluationCounts counts;
  for (const Index segments : {2, 3, 5}) {
    CAPTURE(segments);
    counts = {};
    const MinimizerReport several = multiple_shooting(problem, segments, map.initial(), counts);
    CHECK(several.status == MinimizerStatus::Converged);
    CHECK(counts.tangent < 60);
    // Each search ends where the cost falls by less than 1e-4 of itself.
    CHECK(several.cost == Approx(one.search.cost_history.back()).epsilon(1e-3));
    CHECK(std::abs(map.physical(several.theta)[1] - map.physical(one.theta)[1]) < 0.3 * problem.scenarios[0].time_step);
  }
  CHECK(std::abs(map.physical(one.theta)[1] - map.physical(map.initial())[1]) > 0.5 * problem.scenarios[0].time_step);
}

TEST_CASE("multiple shooting: of a thousand initial states", "[optim][search][shooting]") {
  find_with_states(11, 20, 1000);
}

TEST_CASE("multiple shooting: of thousands of initial states", "[optim][search][shooting][slow]") {
  find_with_states(21, 40, 4000);
}

TEST_CASE("multiple shooting: parameters stay within their bounds, and one piece is rejected",
          "[optim][search][shooting][error]") {
  const auto body = [](double charge) { return test::make_body("body", {.charge = charge, .field = true}); };
  FitProblem problem;
  problem.scenarios = {body(5e-6)};
  problem.observations = {record(test::refined(body(6e-6)), 50, 1e-3, 3)};
  problem.parameters = {shared("charge")};
  problem.parameters[0].factor = false;  // one charge for all, in coulombs
  problem.parameters[0].range.upper = 5.5e-6;
  EvaluationCounts counts;
  const ParameterMap map = make_parameter_map(problem);
  const MinimizerReport report = multiple_shooting(problem, 4, map.initial(), counts);
  CHECK(map.physical(report.theta)[0] == Approx(5.5e-6));
  CHECK_THROWS_AS(check_shooting(problem, Index{1} << 20), InvalidArgument);
  CHECK_THROWS_AS(check_shooting(problem, (Index{1} << 61) + 1), InvalidArgument);  // times 24 it would overflow
  CHECK_THROWS_AS(multiple_shooting(problem, 1, map.initial(), counts), InvalidArgument);
}
