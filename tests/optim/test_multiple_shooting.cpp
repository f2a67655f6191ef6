#include "optim/fit/multiple_shooting.hpp"

#include <cmath>

#include "optim/fit/fit.hpp"
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
  p.selected = {1, 2};
  return p;
}

}  // namespace

TEST_CASE("multiple shooting: finds the values of a motion that forgets its start, where one piece does not",
          "[optim][search][shooting]") {
  constexpr double noise = 1e-3;
  const Swing truth, guess{.charge = 0.7e-6, .stiffness = 450, .drag = 6e-3};
  const Observation seen = record(test::refined(double_pendulum(truth, 0.005, 800)), 40, noise, 1);
  FitProblem problem;
  problem.scenarios = {double_pendulum(guess, 0.005, 800)};
  problem.observations = {seen};
  problem.parameters = {charge_of_bobs(), shared("stiffness"), shared("linear_drag")};

  const FitReport alone = fit(problem);
  CHECK(alone.fit.model > 20 * noise);  // stuck: it turns over at other times

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

  problem.stages = {{.segments = 8}};
  const FitReport joined = fit(problem);
  CHECK(joined.status == MinimizerStatus::Converged);
  CHECK(joined.fit.model < 3 * noise);  // of three components, with what the step of the fit leaves
  CHECK(joined.parameters[0].estimate == Approx(truth.charge).epsilon(0.002));
}

TEST_CASE("multiple shooting: where one piece serves, both find the same", "[optim][search][shooting]") {
  const auto body = [](double charge) { return test::make_body("body", {.charge = charge, .field = true}); };
  FitProblem problem;
  problem.scenarios = {body(5e-6)};
  problem.observations = {record(test::refined(body(6e-6)), 50, 1e-3, 3)};
  problem.parameters = {shared("charge"), shared("stiffness")};
  // A loss and a prior count as they do in one piece.
  problem.loss = {RobustLoss::Kind::Huber, 2.5};
  problem.parameters[1].priors = {GaussianPrior{.mean = 12, .deviation = 1}};
  problem.uncertainty.absolute_sigma = true;  // otherwise a fit goes on with the scale that its residuals have
  const FitReport one = fit(problem);
  EvaluationCounts counts;
  const MinimizerReport several = multiple_shooting(problem, 5, make_parameter_map(problem).initial(), counts);
  CHECK(several.status == MinimizerStatus::Converged);
  CHECK(several.cost == Approx(one.cost_history.back()).epsilon(1e-3));
  CHECK((several.theta - one.theta).lpNorm<Eigen::Infinity>() < 1e-3);
}

TEST_CASE("multiple shooting: parameters stay within their bounds, and one piece is rejected",
          "[optim][search][shooting][error]") {
  const auto body = [](double charge) { return test::make_body("body", {.charge = charge, .field = true}); };
  FitProblem problem;
  problem.scenarios = {body(5e-6)};
  problem.observations = {record(test::refined(body(6e-6)), 50, 1e-3, 3)};
  problem.parameters = {shared("charge")};
  problem.parameters[0].upper = 5.5e-6;
  EvaluationCounts counts;
  const ParameterMap map = make_parameter_map(problem);
  const MinimizerReport report = multiple_shooting(problem, 4, map.initial(), counts);
  CHECK(map.physical(report.theta)[0] == Approx(5.5e-6));
  CHECK_THROWS_AS(check_shooting(problem, 300), InvalidArgument);
  CHECK_THROWS_AS(multiple_shooting(problem, 1, map.initial(), counts), InvalidArgument);
}
