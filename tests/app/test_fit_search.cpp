#include <string>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;

namespace {

Outcome fit_demo(const Workplace& place, const std::string& settings) {
  return place.run("fit '" + demo_experiment + "' --out net --json --set fit.recordings.0.frames.to=0.6 " + settings);
}

}  // namespace

TEST_CASE("fit search: starts and stages find the demo's true values, and fit.json lists every minimum",
          "[app][fit][search]") {
  const Workplace place;
  const Outcome outcome = fit_demo(
      place,
      "--set 'fit.starts={count: 5, factor: 3}' --set 'fit.stages=[{horizon: 0.4 s, integrator: imex_euler, "
      "time_step: 20 ms, max_iterations: 0, keep: 2}]' --set 'fit.parameters.1={stiffness: {prior: {lognormal: "
      "{median: 11, standard_deviation: 30 %}}}}' --set fit.solver=gauss_newton");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto fit = outcome.json();
  REQUIRE(fit["search"].size() == 2);
  const auto &screened = fit["search"][0], &last = fit["search"][1];
  CHECK(screened["horizon"] == 0.4);
  CHECK(screened["integrator"] == "imex_euler");
  CHECK(screened["time_step"] == 0.02);
  CHECK(last["horizon"].is_null());
  CHECK(last["integrator"].is_null());
  REQUIRE(screened["minima"].size() == 5);
  REQUIRE(last["minima"].size() == 2);
  for (const auto& minimum : screened["minima"]) CHECK(minimum["iterations"] == 0);
  CHECK(last["minima"][0]["cost"] == fit["cost_history"].back());
  // With a prior the estimate moves on, by a small part of its error, once the residuals' scale is known.
  CHECK(last["minima"][0]["parameters"]["stiffness"].get<double>() ==
        Approx(fit["parameters"][1]["estimate"].get<double>()).epsilon(1e-3));
  // 60 nC and 10 N/m; a third of the recording tells them to a few per cent.
  CHECK(fit["parameters"][0]["estimate"].get<double>() == Approx(60e-9).epsilon(0.05));
  CHECK(fit["parameters"][1]["estimate"].get<double>() == Approx(10).epsilon(0.1));
  const std::string notes = fit["notes"].dump();
  CHECK(notes.find("priors enter the cost like measurements") != std::string::npos);
  REQUIRE(fit["search_summary"].size() == 2);
  CHECK(says(fit["search_summary"][0], "the weak form has no estimate, because"));  // 16 of 64 balls were seen
  CHECK(fit["search_summary"][1] == "2 of 2 searches ended at the reported minimum");
  CHECK(notes.find("searches") == std::string::npos);  // which is no warning
  CHECK(fit["alternatives"].empty());
  for (const auto& minimum : last["minima"]) CHECK(minimum["place"] == 0);
  for (const auto& minimum : screened["minima"]) CHECK(minimum["place"].is_null());
}

TEST_CASE("fit search: priors, starts and stages that cannot be meant are rejected with their place",
          "[app][fit][search][error]") {
  const Workplace place;
  const auto rejected = [&](const std::string& settings, const std::string& words) {
    CAPTURE(settings);
    const Outcome outcome = fit_demo(place, "--set '" + settings + "'");
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(words) != std::string::npos);
    CHECK(outcome.err.find(outcome.err.find("--set") == std::string::npos ? ".yaml:" : "--set") != std::string::npos);
  };
  rejected("fit.parameters.0={charge: {prior: {}}}", "must be a kind of prior");
  rejected("fit.parameters.0={charge: {prior: {gausian: {mean: 1}}}}", "gaus");
  rejected("fit.parameters.0={charge: {prior: {gaussian: {mean: 60 nC}}}}", "deviation");
  rejected("fit.parameters.0={charge: {prior: {gaussian: {mean: 60 nC, standard_deviation: -1 nC}}}}", "> 0");
  rejected("fit.parameters.1={stiffness: {prior: {smooth: {standard_deviation: 1}}}}",
           "requires neighboring particles or springs");
  rejected(
      "fit.parameters.1={stiffness: {share: none, prior: {smooth: {standard_deviation: 1, "
      "relative_standard_deviation: 0.1}}}}",
      "must have at most one of standard_deviation and relative_standard_deviation");
  rejected("fit.starts={count: 0}", "must be >= 1");
  rejected("fit.starts={count: 3, factor: 0.5}", "must be > 1");
  rejected("fit.stages=[{keep: 0}]", "must be >= 1");
  rejected("fit.stages=[{integrator: rk5}]", "rk5");
  rejected("fit.stages=[{segments: 0}]", "must be >= 1");
  rejected("fit.stages=[{segments: 500}]", "a Jacobian of at most 33554432 numbers");
}
