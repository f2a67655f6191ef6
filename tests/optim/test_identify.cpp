#include "optim/fit/identify.hpp"

#include <cmath>

#include "optim/fit.hpp"
#include "sim/constraint/distance_constraint.hpp"
#include "sim/core/error.hpp"
#include "sim/field/analytic_field.hpp"
#include "sim/force/field_potential.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::BodyOptions;
using pithball::test::complaint;
using pithball::test::contains;
using pithball::test::make_body;
using pithball::test::shared;

namespace {

Parameter scaled_by(const std::string& value) {
  Parameter p = shared(value, 1);
  p.factor = true;
  return p;
}

/// The body of charged_system.hpp as seen every fifth step, with these values free (as factors that start at the
/// truth).
FitProblem watched(const BodyOptions& body, const std::vector<std::string>& values, double noise = 0,
                   unsigned seed = 1) {
  const diff::Scenario truth = make_body("a", body);
  FitProblem problem;
  problem.scenarios = {truth};
  problem.observations = {test::record(truth, 5, noise, seed)};
  for (const std::string& value : values) problem.parameters.push_back(scaled_by(value));
  return problem;
}

bool mentions(const std::vector<std::string>& notes, const std::string& words) {
  for (const std::string& note : notes)
    if (contains(note, words)) return true;
  return false;
}

}  // namespace

TEST_CASE("identify: predicts the errors that a fit finds, without fitting", "[optim][identify]") {
  FitProblem problem = watched({}, {"charge", "stiffness", "damping"});
  problem.uncertainty.options.absolute_sigma = true;
  const FitReport fitted = fit(problem);  // starts at the truth and stays there
  problem.uncertainty.options.absolute_sigma = false;
  const IdentifyReport predicted = identify(problem);
  REQUIRE(predicted.ok());
  REQUIRE(predicted.parameters.size() == 3);
  CHECK(predicted.rows == 11 * 4 * 3);
  for (std::size_t k = 0; k < 3; ++k) {
    INFO(predicted.parameters[k].name);
    REQUIRE(fitted.estimates.parameters[k].errors.formal > 0);
    // The same formula; the fit's search may move θ by its tolerance of 1e-9.
    CHECK(predicted.parameters[k].standard_error == Approx(fitted.estimates.parameters[k].errors.formal).epsilon(1e-6));
    CHECK(predicted.parameters[k].interval_lower ==
          Approx(fitted.estimates.parameters[k].interval.lower).epsilon(1e-6));
    CHECK(predicted.parameters[k].determination == Determination::Determined);
    CHECK(predicted.parameters[k].at == 1);
  }
  CHECK(predicted.spectrum.condition == Approx(fitted.estimates.condition).epsilon(1e-6));
  double squares = 0;
  for (const SingularDirection& direction : predicted.spectrum.directions) squares += direction.value * direction.value;
  CHECK(squares == Approx(3));  // columns of length 1
  CHECK(predicted.scale_symmetry.empty());
  CHECK(mentions(predicted.notes, "charge: the sign cannot be determined"));
}

TEST_CASE("identify: a constant weight of the frames leaves the predicted errors as they are", "[optim][identify]") {
  FitProblem problem = watched({}, {"charge", "stiffness"});
  const IdentifyReport plain = identify(problem);
  problem.observations[0].frame_weight.assign(problem.observations[0].times.size(), 10.0);
  const IdentifyReport weighted = identify(problem);
  for (std::size_t k = 0; k < 2; ++k)
    CHECK(weighted.parameters[k].standard_error == Approx(plain.parameters[k].standard_error).epsilon(1e-9));
}

TEST_CASE("identify: predicted errors are the scatter of fits to noisy recordings, with and without weights",
          "[optim][identify]") {
  constexpr int repetitions = 100;
  const double growth = GENERATE(0.0, 0.1);  // of the logarithm of the weight, by frame: 10 frames
  const std::vector<std::string> values{"charge", "stiffness"};
  const auto with_weights = [&](FitProblem problem) {
    if (growth > 0)
      for (std::size_t f = 0; f < problem.observations[0].times.size(); ++f)
        problem.observations[0].frame_weight.push_back(std::exp(growth * static_cast<double>(f * f)));
    return problem;
  };
  const IdentifyReport predicted = identify([&] {
    FitProblem problem = with_weights(watched({}, values));
    problem.observations[0].noise.sigma.setConstant(2e-3);
    return problem;
  }());
  std::vector<double> square(values.size(), 0.0);
  for (unsigned seed = 300; seed < 300 + repetitions; ++seed) {
    const FitReport fitted = fit(with_weights(watched({}, values, 2e-3, seed)));
    REQUIRE(fitted.search.status == MinimizerStatus::Converged);
    for (std::size_t k = 0; k < values.size(); ++k)
      square[k] += std::pow(fitted.estimates.parameters[k].estimate - 1, 2);
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    INFO(values[k]);
    // About the truth, a root mean square over n repetitions has the relative error 1/√(2n): three of them.
    CHECK(std::sqrt(square[k] / repetitions) ==
          Approx(predicted.parameters[k].standard_error).epsilon(3 / std::sqrt(2.0 * repetitions)));
  }
}

TEST_CASE(
    "identify: a parameter with little effect in a short recording is poor, and its correlated parameter is named",
    "[optim][identify]") {
  FitProblem problem = watched({}, {"stiffness", "rest_length", "damping"});
  problem.observations[0].noise.sigma.setConstant(0.3);  // as large as the body
  const IdentifyReport report = identify(problem);
  const PredictedParameter& damping = report.parameters[2];
  CHECK(damping.determination == Determination::Poor);
  CHECK(damping.interval_upper > std::exp(1.0));
  CHECK(std::isfinite(damping.standard_error));
  CHECK(contains(damping.weak_direction, "damping"));
  CHECK(report.spectrum.weak_directions.empty());
}

TEST_CASE("scale symmetry: masses, stiffnesses, damping, squared charges and fields grow together",
          "[optim][identify][scale]") {
  BodyOptions body;
  body.gravity = true;  // gravity acts on masses and so does not break it
  const std::vector<std::string> all{"mass", "stiffness", "damping", "charge"};
  const IdentifyReport report = identify(watched(body, all));
  CHECK(report.scale_symmetry == std::vector<std::string>{"mass", "stiffness", "damping", "charge²"});
  CHECK(mentions(report.notes, "mass, stiffness, damping and charge² can all be multiplied by one factor"));
  for (const PredictedParameter& p : report.parameters) CHECK(p.determination == Determination::None);

  // Whatever is known and matters breaks it: a value, or a force.
  for (const std::string& known : all) {
    INFO("known " << known);
    std::vector<std::string> free;
    for (const std::string& value : all)
      if (value != known) free.push_back(value);
    CHECK(identify(watched(body, free)).scale_symmetry.empty());
  }
  body.field = true;
  CHECK(identify(watched(body, all)).scale_symmetry.empty());
  // An unknown field takes part.
  FitProblem problem = watched(body, all);
  problem.parameters.push_back(scaled_by("electric_field"));
  CHECK(identify(problem).scale_symmetry ==
        std::vector<std::string>{"mass", "stiffness", "damping", "charge²", "electric_field²"});
  // Gravity's strength and rest lengths do not scale and do not disturb.
  problem.parameters.push_back(scaled_by("rest_length"));
  CHECK(identify(problem).scale_symmetry.size() == 5);
}

TEST_CASE("scale symmetry: a charge that only a known field acts on grows like a mass", "[optim][identify][scale]") {
  const sim::Model model(
      {2, {{0, 1}}, {{0, {}}}}, sim::Vector::Constant(2, 0.3), sim::Vector::Constant(2, 1e-6),
      {std::make_shared<sim::SpringForce>(sim::Vector::Constant(1, 5.0), sim::Vector::Ones(1)),
       std::make_shared<sim::ElectricField>(std::make_shared<sim::UniformField>(sim::Vec3(1e6, 0, 0)))});
  sim::State state{0, sim::Points::Zero(3, 2), sim::Points::Zero(3, 2)};
  state.x(0, 1) = 1.1;
  FitProblem problem;
  problem.scenarios = {{.name = "a",
                        .model = model,
                        .initial = state,
                        .integrator = "velocity_verlet",
                        .time_step = 0.01,
                        .steps = 100,
                        .stage = {}}};
  problem.observations = {test::record(problem.scenarios[0], 5, 0, 1)};
  for (const char* value : {"mass", "stiffness", "charge"}) problem.parameters.push_back(scaled_by(value));
  CHECK(identify(problem).scale_symmetry == std::vector<std::string>{"mass", "stiffness", "charge"});
  // A known potential of charges is such a field, and tells their sign; an unknown strength of it takes no part.
  problem.scenarios[0].model =
      sim::Model({2, {{0, 1}}, {{0, {}}}}, sim::Vector::Constant(2, 0.3), sim::Vector::Constant(2, 1e-6),
                 {std::make_shared<sim::SpringForce>(sim::Vector::Constant(1, 5.0), sim::Vector::Ones(1)),
                  std::make_shared<sim::FieldPotential>(std::make_shared<sim::AnalyticPotential>("1e6*x"),
                                                        sim::FieldPotential::Weight::Charge)});
  const IdentifyReport potential = identify(problem);
  CHECK(potential.scale_symmetry == std::vector<std::string>{"mass", "stiffness", "charge"});
  CHECK_FALSE(mentions(potential.notes, "sign"));
  problem.scenarios[0].model = model;
  // Parameters without effect are no members: masses alone still say nothing of a body that hangs still.
  const ParameterMap map = make_parameter_map(problem);
  CHECK_FALSE(find_scale_symmetry(map, map.initial(), Eigen::MatrixXd::Zero(4, 3)));
  CHECK_THROWS_AS(find_scale_symmetry(map, map.initial(), Eigen::MatrixXd::Zero(4, 2)), InvalidArgument);
}

TEST_CASE("scale symmetry: compliances and dampings of links take part", "[optim][identify][scale]") {
  const sim::Vector one = sim::Vector::Ones(1);
  const sim::Model model(
      {2, {}, {{0, {}}}}, sim::Vector::Constant(2, 0.3), sim::Vector::Zero(2),
      {std::make_shared<sim::Gravity>(sim::Vec3(0, 0, -9.81))},
      {std::make_shared<sim::DistanceConstraint>(std::vector<sim::Spring>{{0, 1}}, one, 0.05 * one, 0.2 * one)});
  sim::State state{0, sim::Points::Zero(3, 2), sim::Points::Zero(3, 2)};
  state.x(0, 1) = 1.1;
  FitProblem problem;
  problem.scenarios = {{.name = "a",
                        .model = model,
                        .initial = state,
                        .integrator = "xpbd",
                        .time_step = 0.01,
                        .steps = 100,
                        .stage = {}}};
  problem.observations = {test::record(problem.scenarios[0], 5, 0, 1)};
  for (const char* value : {"mass", "distance_compliance", "distance_damping"})
    problem.parameters.push_back(scaled_by(value));
  const IdentifyReport report = identify(problem);
  CHECK(report.scale_symmetry == std::vector<std::string>{"mass", "1/distance_compliance", "distance_damping"});
  CHECK(mentions(report.notes, "mass, 1/distance_compliance and distance_damping can all be multiplied by one factor"));
  problem.parameters.erase(problem.parameters.begin());  // a known mass breaks it
  CHECK(identify(problem).scale_symmetry.empty());
}

TEST_CASE("sensitivity growth: rate, extent and the useless frames of a made-up Jacobian are exact",
          "[optim][identify][growth]") {
  // One marker at ±0.3 m along x; a shift of 1e-3·2^(5t) m for θ_0 and nothing for θ_1.
  const diff::Scenario scenario = make_body("a");
  Observation o;
  o.markers = {{"m", {{1, 1.0}}}};
  o.noise.sigma = sim::Vector::Constant(1, 0.02);
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(3 * 20, 2);
  for (Index f = 0; f < 20; ++f) {
    o.times.push_back(0.05 * f);
    o.positions.push_back(sim::Vec3(f % 2 ? 0.3 : -0.3, 1, 2));
    J(3 * f + 1, 0) = 1e-3 * std::exp2(5 * o.times.back()) / 0.02;
  }
  const std::vector<SensitivityGrowth> growth = compute_sensitivity_growth({scenario}, {o}, J);
  REQUIRE(growth.size() == 1);
  CHECK(growth[0].shift[7] == Approx(1e-3 * std::exp2(5 * 0.35)));
  CHECK(growth[0].extent == Approx(0.3));
  CHECK(growth[0].doublings_per_second == Approx(5));
  CHECK(growth[0].late_doublings == Approx(5 * 0.475));
  CHECK_FALSE(growth[0].exponential());
  CHECK(std::isinf(growth[0].useless_from));
  CHECK(growth[0].warnings().empty());
  // A thousand times as sensitive: 1 % moves by 0.3 m where 2^(5t) = 30, t = 0.98; twice the rate: chaotic.
  J *= 1.2e3;
  CHECK(compute_sensitivity_growth({scenario}, {o}, J)[0].useless_from == Approx(0.95));
  for (Index f = 0; f < 20; ++f) J(3 * f + 1, 0) = 1e-3 * std::exp2(10 * o.times[f]);
  const SensitivityGrowth chaotic = compute_sensitivity_growth({scenario}, {o}, J)[0];
  CHECK(chaotic.exponential());
  REQUIRE(chaotic.warnings().size() == 1);
  CHECK(contains(chaotic.warnings()[0], "doubles every 0.1 s"));
  CHECK(contains(complaint([&] { compute_sensitivity_growth({scenario}, {o}, J.topRows(57)); }), "one row"));
  CHECK(contains(complaint([&] { compute_sensitivity_growth({scenario}, {o}, Eigen::MatrixXd::Zero(63, 2)); }), "63"));
}

TEST_CASE("sensitivity growth: a particle driven off a hill doubles at the hill's rate, an oscillator does not",
          "[optim][identify][growth]") {
  // x″ = ±ω²x with ω² = q e/m: the shift for a change of the start is cosh ωt or cos ωt.
  const auto problem = [](const char* expression) {
    const sim::Model model({1, {}, {}}, sim::Vector::Ones(1), sim::Vector::Ones(1),
                           {std::make_shared<sim::ElectricField>(std::make_shared<sim::AnalyticField>(
                               std::array<std::string, 3>{expression, "0", "0"}))});
    FitProblem p;
    p.scenarios = {{.name = "hill",
                    .model = model,
                    .initial = {0, sim::Vec3(0.01, 0, 0), sim::Vec3::Zero()},
                    .integrator = "rk4",
                    .time_step = 0.02,
                    .steps = 200,
                    .stage = {}}};
    p.observations = {test::record(p.scenarios[0], 10, 0, 1)};
    Parameter start = shared("position");
    start.entries.components = "x";
    p.parameters = {start};
    return p;
  };
  const SensitivityGrowth hill = identify(problem("9*x")).growth.at(0);
  CHECK(hill.doublings_per_second == Approx(3 / std::log(2.0)).epsilon(1e-3));  // cosh 3t is e^3t/2 within e^-12
  CHECK(hill.exponential());
  const SensitivityGrowth trough = identify(problem("-9*x")).growth.at(0);
  CHECK_FALSE(trough.exponential());
}

TEST_CASE("identify: what cannot be run is a finding, what cannot be meant is an error", "[optim][identify][error]") {
  BodyOptions wild;
  wild.integrator = "velocity_verlet";
  wild.time_step = 0.5;
  wild.steps = 400;
  FitProblem problem = watched({}, {"stiffness"});
  problem.scenarios = {make_body("wild", wild)};
  problem.observations[0].times.back() = 200;
  const IdentifyReport report = identify(problem);
  CHECK_FALSE(report.ok());
  CHECK(contains(report.failure, "recording 'wild': diverged at step"));
  CHECK(report.parameters.empty());

  problem = watched({}, {"stiffness", "charge"});
  problem.uncertainty.full_limit = 1;
  CHECK(contains(complaint([&] { identify(problem); }), "must be at most 1"));
  problem.uncertainty.full_limit = 2;
  CHECK(contains(complaint([&] { identify(problem, sim::Vector::Ones(3)); }), "one entry for each parameter"));
}
