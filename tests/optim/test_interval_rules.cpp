#include <cmath>
#include <string>

#include "optim/fit.hpp"
#include "sim/field/primitive_obstacles.hpp"
#include "sim/force/obstacle_penalty.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;

namespace {

/// What one of the fits differs in from the others.
struct RuleCase {
  IntervalMethod method = IntervalMethod::Profile;
  double noise = 1e-3, drag = 0;  ///< [m], [kg/s]
  Transform::Kind scale = Transform::Kind::Log;
  int bound = 0;  ///< of the stiffness: none, one that is active, and none but a profile on request
  int prior = 0;  ///< of the stiffness: none, gaussian, laplace
  unsigned seed = 1;
};

/// A ball on a spring of 4 N/m that swings and, perhaps, is slowed down: a run takes microseconds.
diff::Scenario swinging_ball(double stiffness, double drag) {
  using namespace sim;
  State state{0, (Points(3, 2) << 0, 0.13, 0, 0.02, 0, 0).finished(), Points::Zero(3, 2)};
  Topology topology{2, {{0, 1}}, {{0, {}}}, {}};
  const Model model(
      topology, Vector::Constant(2, 0.1), Vector::Zero(2),
      {std::make_shared<SpringForce>(Vector::Constant(1, stiffness), Vector::Constant(1, 0.1)),
       std::make_shared<LinearDrag>(Vector::Constant(2, drag), std::make_shared<UniformField>(Vec3::Zero()))});
  return {.name = "ball",
          .model = model,
          .initial = state,
          .integrator = "velocity_verlet",
          .time_step = 0.02,
          .steps = 60,
          .stage = {}};
}

/// Three balls that bounce on a floor too stiff for the step, so that χ² is rough.
diff::Scenario bouncing_balls(double stiffness, Index steps, double time_step) {
  using namespace sim;
  State state{0, (Points(3, 3) << 0, 0.2, 0.41, 0, 0, 0, 0.3, 0.42, 0.57).finished(), Points::Zero(3, 3)};
  state.v.row(0) << 0.3, -0.2, 0.1;
  const auto floor = std::make_shared<PlaneObstacle>("plane_penalty", Vec3::Zero(), Vec3::UnitZ());
  const Model model(
      Topology{3, {{0, 1}, {1, 2}}, {}, {}}, Vector::Constant(3, 0.1), Vector::Zero(3),
      {std::make_shared<SpringForce>(Vector::Constant(2, stiffness), Vector::Constant(2, 0.2)),
       std::make_shared<LinearDrag>(Vector::Constant(3, 0.02), std::make_shared<UniformField>(Vec3::Zero())),
       std::make_shared<Gravity>(Vec3(0, 0, -9.81)),
       std::make_shared<ObstaclePenalty>("plane_penalty", floor, Vector::Constant(3, 0.02), 2e4)});
  return {.name = "balls",
          .model = model,
          .initial = state,
          .integrator = "velocity_verlet",
          .time_step = time_step,
          .steps = steps,
          .stage = {}};
}

FitProblem bouncing_problem(double noise, Index steps, double time_step, IntervalMethod method) {
  FitProblem problem;
  problem.observations = {test::record(bouncing_balls(20, steps, time_step), 10, noise, 1)};
  problem.observations[0].noise.sigma.setConstant(noise);
  problem.scenarios = {bouncing_balls(20.2, steps, time_step)};
  problem.parameters = {test::shared("stiffness"), test::shared("linear_drag", 0.021)};
  problem.uncertainty.interval = method;
  return problem;
}

FitProblem problem_of(const RuleCase& c) {
  FitProblem problem;
  problem.observations = {test::record(swinging_ball(4, c.drag), 4, c.noise, c.seed)};
  problem.observations[0].noise.sigma.setConstant(c.noise);
  problem.scenarios = {swinging_ball(4.4, 0.01)};
  Parameter stiffness = test::shared("stiffness"), drag = test::shared("linear_drag", 0.01);
  drag.range.transform = c.scale;
  if (c.bound == 1) stiffness.range.lower = 4.2;
  if (c.bound == 2) problem.uncertainty.profiles = {"stiffness", "linear_drag"};
  if (c.prior == 1) stiffness.priors = {GaussianPrior{4, 0.5}};
  if (c.prior == 2) stiffness.priors = {LaplacePrior{4, 0.2}};
  problem.parameters = {stiffness, drag};
  problem.uncertainty.interval = c.method;
  return problem;
}

/// Which rule gave an interval: Linear, Bound (one-sided at a bound), Upper limit, lAplace prior, Profile, Resampling,
/// Scan; a small letter: the value is not identifiable; a star: a curve was drawn, too.
std::string rule_of(const FitReport& report, std::size_t k, bool has_laplace_prior) {
  const FittedParameter& p = report.estimates.parameters[k];
  char letter = p.interval.method == IntervalMethod::Profile     ? 'P'
                : p.interval.method == IntervalMethod::Bootstrap ? 'R'
                : p.interval.method == IntervalMethod::Scan      ? 'S'
                : std::isfinite(p.interval.upper_limit)          ? 'U'
                : p.interval.at_bound                            ? 'B'
                : has_laplace_prior                              ? 'A'
                                                                 : 'L';
  if (!p.identifiable) letter = static_cast<char>(std::tolower(letter));
  std::string text(1, letter);
  for (const FittedProfile& profile : report.estimates.profiles)
    if (profile.name == p.name) text += '*';
  return text;
}

/// All combinations, 216 fits.
std::vector<RuleCase> rule_cases() {
  std::vector<RuleCase> cases;
  unsigned seed = 0;
  for (const IntervalMethod method : interval_methods)
    for (const double noise : {1e-3, 2e-2})
      for (const double drag : {0.0, 0.05})
        for (const Transform::Kind scale : {Transform::Kind::Log, Transform::Kind::Scaled})
          for (const int bound : {0, 1, 2})
            for (const int prior : {0, 1, 2}) cases.push_back({method, noise, drag, scale, bound, prior, ++seed});
  return cases;
}

std::string rules_of(const RuleCase& c) {
  const FitReport report = fit(problem_of(c));
  return rule_of(report, 0, c.prior == 2) + rule_of(report, 1, false);
}

/// As it was before one function chose them all: a row for each method, noise and drag, in the order of `rule_cases`.
const std::vector<std::string> recorded_rules{
    "LU LU AU BU BU BU L*U* L*U* AU* LU LU AU BU BU BU L*U* L*U AU*",
    "LL LL AL BL BL BL L*L* L*L* AL* LL LL AL BL BL BL L*L* L*L* AL*",
    "LU LU AU LU BU BU L*U* L*U* AU* LU LU AU BU BU BU l*U* L*U* AU",
    "Ll LU AU LU BU BU L*U* L*U* AU* LU LU AU BU BU BU L*U* L*U AU*",
    "LU LP* AU BU BU BU P*U* P*U* AU* LU LU AU BU BU BU L*U L*U AU*",
    "LL LP* AL BP* BP* BP* L*L* L*L* AL* LL LL AL BL BL BL L*L* L*L* AL*",
    "P*U P*U AU BU BU BU P*U* P*U* AP* LU Lp* Ap* BU BU BU P*U* P*U AU",
    "P*U LU AU BU BP* BU P*U* P*P* AU* P*U P*p* Ap* Bp* Bp* BU P*U* P*U* AU",
    "LU LU AU BU BU BU R*R* R*R* AU* RU RR RR BR BR BU R*R* R*U RU",
    "RR RR RR BR BR BR R*R* R*R* RR* RR RR RR BR BR BR R*R* R*R* RR*",
    "LU RR AU BU BU BU L*U* L*U* AU* RR RU AU RU BR BU R*R* R*U AU",
    "RR LU Al BR BR BR L*U* L*U* AU* RU LU AU BU BU BU L*U* R*R* AU*",
};

/// The fits of some rows, checked against the record.
void check_rows(std::size_t first, std::size_t last) {
  const std::vector<RuleCase> cases = rule_cases();
  const std::size_t width = cases.size() / recorded_rules.size();
  for (std::size_t row = first; row < last; ++row) {
    std::string found;
    for (std::size_t n = 0; n < width; ++n) found += (n == 0 ? "" : " ") + rules_of(cases[row * width + n]);
    CAPTURE(row);
    CHECK(found == recorded_rules[row]);
  }
}

}  // namespace

TEST_CASE("interval rules: which of them gives an interval, over bounds, priors, limits and profiles",
          "[optim][fit][intervals]") {
  check_rows(0, 8);
}

TEST_CASE("interval rules: likewise where intervals are resampled", "[optim][fit][intervals][slow]") {
  check_rows(8, 12);
}

TEST_CASE("interval rules: a scan where χ² is rough, whatever was requested", "[optim][fit][intervals]") {
  for (const IntervalMethod method : interval_methods) {
    const FitReport report = fit(bouncing_problem(1e-3, 300, 4e-3, method));
    CHECK(rule_of(report, 0, false) == "S");
    CHECK(rule_of(report, 1, false) == "s");  // its interval says nothing
  }
}
