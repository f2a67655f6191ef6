// What a wrong sigma does to priors and to robust losses: nothing.

#include <algorithm>

#include "optim/fit.hpp"
#include "optim/fit/identify.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using test::make_body;
using test::shared;

namespace {

/// Mass, stiffness, damping and charge of a body that moves by itself: only the prior, 0.3 ± 0.03 kg, knows the scale.
FitProblem weighed(double noise) {
  FitProblem problem;
  problem.scenarios = {make_body("a")};
  problem.observations = {test::record(problem.scenarios[0], 2, noise, 5)};
  problem.observations[0].noise.sigma.setConstant(1e-3);
  problem.parameters = {shared("stiffness"), shared("damping"), shared("charge"), shared("mass", 0.32)};
  problem.parameters[0].factor = true;
  problem.parameters[0].initial = 1.05;
  problem.parameters[2].factor = true;
  problem.parameters[2].initial = 0.95;
  problem.parameters[3].priors = {GaussianPrior{0.3, 0.03}};
  return problem;
}

}  // namespace

TEST_CASE("fit: a mass that only its prior knows is known as well as the prior, whatever the residuals",
          "[optim][fit][prior]") {
  for (const double noise : {1e-5, 1e-3, 5e-3}) {
    INFO("noise " << noise << " m beside a sigma of 1 mm");
    const FitReport report = fit(weighed(noise));
    CHECK(report.search.status == MinimizerStatus::Converged);
    const FittedParameter& mass = report.estimates.parameters[3];
    CHECK(mass.identifiable);
    CHECK(mass.errors.formal == Approx(0.03).epsilon(0.02));
    CHECK(mass.estimate == Approx(0.3).epsilon(0.02));
    CHECK(report.estimates.uncertainty.priors.determined_by_data == Approx(3).margin(0.01));
    CHECK(report.estimates.residual_scale == Approx(noise / 1e-3).epsilon(0.1));
  }
}

TEST_CASE("identify: priors count, and the noise that is supposed is said", "[optim][identify][prior]") {
  const IdentifyReport report = identify(weighed(1e-3));
  REQUIRE(report.ok());
  CHECK(report.has_priors);
  CHECK(report.parameters[3].determination == Determination::Determined);
  CHECK(report.parameters[3].standard_error == Approx(0.03).epsilon(0.02));
  REQUIRE(report.sigmas.size() == 1);
  CHECK(report.sigmas[0].said == "a: sigma 1 mm, as written");
}

TEST_CASE("fit: a robust loss finds its own scale, and says what it left out", "[optim][fit][robust]") {
  const diff::Scenario truth = make_body("a");
  FitProblem problem;
  problem.scenarios = {truth};
  problem.observations = {test::record(truth, 1, 1e-3, 9)};
  Observation& film = problem.observations[0];
  for (std::size_t f = 3; f < film.positions.size(); f += 6) film.positions[f].col(1).array() += 0.3;
  problem.parameters = {shared("charge"), shared("stiffness")};
  for (Parameter& parameter : problem.parameters) parameter.factor = true;
  problem.loss = RobustLoss("cauchy", 3);
  std::vector<double> estimates;
  for (const double sigma : {1e-4, 1e-3, 1e-2}) {
    INFO("sigma " << sigma << " m");
    film.noise.sigma.setConstant(sigma);
    const FitReport report = fit(problem);
    CHECK(report.estimates.uncertainty.loss_threshold == Approx(3e-3 / sigma).epsilon(0.25));
    REQUIRE(report.estimates.uncertainty.outliers.size() == 1);
    // Eight jumps, and what lies 3 scales away by chance: 2.9 % of the samples (χ² of 3 degrees above 9).
    CHECK(report.estimates.uncertainty.outliers[0].samples >= 8);
    CHECK(report.estimates.uncertainty.outliers[0].samples <= 8 + 0.08 * report.estimates.uncertainty.outliers[0].of);
    CHECK(report.estimates.uncertainty.outliers[0].worst_marker == "1");
    CHECK(report.estimates.uncertainty.outliers[0].worst_samples >= 8);
    CHECK(report.estimates.uncertainty.outliers[0].first == Approx(0.06));
    // What the loss sets aside speaks neither against sigma nor against the model.
    if (sigma == 1e-3) CHECK(report.goodness.quality.reduced() == Approx(1).margin(report.goodness.quality.tolerance));
    for (const std::string& note : report.notes)
      if (sigma == 1e-3) CHECK(note.find("times sigma") == note.find("it may be"));  // neither is in it
    estimates.push_back(report.estimates.parameters[1].estimate);
    CHECK(estimates.back() == Approx(1).margin(4 * report.estimates.parameters[1].standard_error));
    CHECK(std::abs(estimates.back() - estimates.front()) < 0.3 * report.estimates.parameters[1].standard_error);
  }
}
