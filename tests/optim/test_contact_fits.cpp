// Fits through a contact, whose derivatives must be those of the motion.
#include <cmath>

#include "optim/fit.hpp"
#include "optim/fit/identify.hpp"
#include "sim/field/primitive_obstacles.hpp"
#include "sim/force/obstacle_penalty.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"

using namespace pithball;
using namespace pithball::optim;

namespace {

constexpr double true_gravity = -9.81;

/// A ball that falls 1 m on a stiff floor with a damper and is in the air again at 0.8 s.
diff::Scenario dropped_ball(double gravity, double smoothing, sim::Index steps) {
  using namespace sim;
  const auto floor = std::make_shared<PlaneObstacle>("floor", Vec3::Zero(), Vec3::UnitZ());
  const auto wall = std::make_shared<ObstaclePenalty>("plane_penalty", floor, Vector::Zero(1), 5e4, smoothing);
  return {.name = "film",
          .model = Model(Topology{1, {}, {}, {}}, Vector::Constant(1, 0.1), Vector::Zero(1),
                         {std::make_shared<Gravity>(Vec3(0, 0, gravity)), wall,
                          std::make_shared<ObstacleDamper>("plane", wall, 2, 0)}),
          .initial = {0, Points(Vec3(0, 0, 1)), Points::Zero(3, 1)},
          .integrator = "velocity_verlet",
          .time_step = 0.8 / static_cast<double>(steps),
          .steps = steps,
          .stage = {}};
}

/// In a step for each frame, whose substeps end where the ball touches the floor.
diff::Scenario split_at_touches(double gravity, double tolerance = 1e-7) {
  tests::MapSettings settings(1, {{"tolerance", tolerance}, {"split_at_touches", true}});
  diff::Scenario s = dropped_ball(gravity, 0, 80);
  s.integrator = {"dormand_prince", settings};
  return s;
}

/// Filmed at 100 frames a second to 2 mm; the motion is that of steps a thousandth of the contact.
Observation film(unsigned seed) {
  static const Observation exact = test::record(dropped_ball(true_gravity, 0, 160000), 2000, 0, 1);
  Observation o = exact;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  o.noise.sigma.setConstant(2e-3);
  for (sim::Points& x : o.positions)
    for (double& value : sim::flat(x)) value += 2e-3 * normal(random);
  return o;
}

/// In steps of a fortieth of the contact, 0.11 ms: the smoothing that they need is a third of the depth of the touch,
/// and moves the estimate by a tenth of its error; with steps of a tenth it would be twice as wide as the touch is
/// deep.
diff::Scenario smoothed(double gravity, double smoothing) { return dropped_ball(gravity, smoothing, 7200); }

FitProblem ball_problem(unsigned seed, const diff::Scenario& start) {
  FitProblem problem;
  problem.observations = {film(seed)};
  problem.scenarios = {start};
  Parameter gravity = test::shared("gravity");
  gravity.entries.components = "z";
  problem.parameters = {gravity};
  return problem;
}

/// w [m] that an identification prints.
double printed_smoothing() {
  const IdentifyReport report = identify(ball_problem(1, smoothed(true_gravity, 0)));
  REQUIRE(report.doubts.size() == 1);
  const std::string key = "write `smoothing: ";
  const auto at = report.doubts[0].find(key);
  REQUIRE(at != std::string::npos);
  return std::stod(report.doubts[0].substr(at + key.size()));
}

/// Of `count` films, fitted from the start: those whose interval contains the truth, and the mean standard error.
std::pair<int, double> intervals_of(int count, const diff::Scenario& start) {
  int inside = 0;
  double error = 0;
  for (int seed = 1; seed <= count; ++seed) {
    const FitReport report = fit(ball_problem(seed, start));
    const FittedParameter& g = report.estimates.parameters.at(0);
    CHECK(report.verdict.why.find("begins within a step") == std::string::npos);
    inside += g.interval.lower <= true_gravity && true_gravity <= g.interval.upper;
    error += g.standard_error / count;
  }
  return {inside, error};
}

}  // namespace

TEST_CASE("contact fits: without a smoothing a fit through a bounce is doubtful, and says which to write",
          "[optim][fit]") {
  const RunVerdict verdict = fit(ball_problem(1, smoothed(-9.6, 0))).verdict;
  CHECK(verdict.grade() != Grade::Good);
  CHECK_THAT(verdict.why, Catch::StartsWith("film: plane_penalty begins within a step"));
  CHECK_THAT(verdict.remedy, Catch::StartsWith("write `smoothing: "));
}

TEST_CASE("contact fits: with it gravity is found, with the error that can be attained", "[optim][fit]") {
  const double w = printed_smoothing();
  CHECK(identify(ball_problem(1, smoothed(true_gravity, w))).doubts.empty());
  // The attainable one: from derivatives of the motion itself, in fine steps over a narrow contact.
  const FitProblem fine = ball_problem(1, dropped_ball(true_gravity, w / 4, 14400));
  const double attainable = identify(fine).parameters.at(0).standard_error;
  const auto [inside, error] = intervals_of(20, smoothed(-9.6, w));
  INFO(inside << " of 20; " << error << ", attainable " << attainable);
  CHECK(inside >= 17);  // by chance fewer in 0.3 % of cases
  CHECK(error / attainable == Approx(1).margin(0.1));
}

TEST_CASE("contact fits: intervals contain the truth as often as they say", "[optim][fit][slow]") {
  const auto [inside, error] = intervals_of(200, smoothed(-9.6, printed_smoothing()));
  INFO(inside << " of 200, standard error " << error);
  CHECK(inside >= 181);  // 190 by chance, with a standard deviation of 3.1
  CHECK(inside <= 199);
}

TEST_CASE("contact fits: with substeps that end at touches gravity is found, with the error that can be attained",
          "[optim][fit]") {
  const IdentifyReport fine = identify(ball_problem(1, split_at_touches(true_gravity, 1e-10)));
  CHECK(fine.doubts.empty());
  const auto [inside, error] = intervals_of(20, split_at_touches(-9.6));
  INFO(inside << " of 20; " << error << ", attainable " << fine.parameters.at(0).standard_error);
  CHECK(inside >= 17);                                                           // by chance fewer in 0.3 % of cases
  CHECK(error / fine.parameters.at(0).standard_error == Approx(1).margin(0.1));  // robust errors are somewhat larger
}

TEST_CASE("contact fits: with substeps that end at touches intervals contain the truth as often as they say",
          "[optim][fit][slow]") {
  const auto [inside, error] = intervals_of(200, split_at_touches(-9.6));
  INFO(inside << " of 200, standard error " << error);
  CHECK(inside >= 184);  // 190 by chance, with a standard deviation of 3.1
  CHECK(inside <= 196);
}
