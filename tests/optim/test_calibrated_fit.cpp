// Fits of a motion together with what an instrument does to it: lens, rolling shutter, scale.
#include <cmath>
#include <functional>
#include <map>

#include "optim/fit.hpp"
#include "tests/optim/phone_film.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using test::film;
using test::Phone;
using test::shared;
using test::swinging_body;

namespace {

/// How often intervals contain the truth, in fits to `count` recordings.
std::map<std::string, int> count_covered(const std::map<std::string, double>& truth, int count,
                                         const std::function<FitProblem(unsigned)>& make) {
  std::map<std::string, int> covered;
  for (int k = 0; k < count; ++k) {
    const FitReport report = fit(make(static_cast<unsigned>(k) + 1));
    REQUIRE(report.search.status == MinimizerStatus::Converged);
    for (const FittedParameter& p : report.estimates.parameters) {
      REQUIRE(truth.count(p.value) == 1);
      CHECK(p.identifiable);
      // Not vague either: ten standard errors are less than what was to be found.
      if (p.value == "lens_k1" || p.value == "row_time") CHECK(10 * p.standard_error < std::abs(truth.at(p.value)));
      covered[p.value] += p.interval.lower <= truth.at(p.value) && truth.at(p.value) <= p.interval.upper;
    }
  }
  return covered;
}

Parameter stiffness_factor() {
  Parameter stiffness = shared("stiffness", 1.2);
  stiffness.factor = true;
  return stiffness;
}

}  // namespace

TEST_CASE("calibrated fit: focal length, distortion and row time are found with a stiffness, within their intervals",
          "[optim][measurement]") {
  const diff::Scenario scenario = swinging_body("film");
  const std::vector<sim::State> states = test::states_of(scenario);
  const Phone phone{.k1 = -0.05, .row_time = 2e-5};
  const std::map<std::string, double> truth{
      {"stiffness", 1}, {"focal_length", 900}, {"lens_k1", phone.k1}, {"row_time", phone.row_time}};
  constexpr int count = 24;
  const std::map<std::string, int> covered = count_covered(truth, count, [&](unsigned seed) {
    FitProblem problem;
    problem.scenarios = {scenario};
    problem.observations = {film(states, scenario.time_step, phone, seed)};
    problem.observations[0].recording_frame.set_own("focal_length", 870);
    problem.parameters = {stiffness_factor(), shared("focal_length"), shared("lens_k1"), shared("row_time")};
    problem.parameters.back().range.lower = 0;
    problem.parameters.back().range.upper = 5e-5;
    return problem;
  });
  // Of 24 intervals at 95 %, fewer than 19 contain the truth in one of 3000 draws.
  for (const auto& [name, value] : truth) {
    CAPTURE(name);
    CHECK(covered.at(name) >= 19);
  }
}

TEST_CASE("calibrated fit: a scale of 1.01 is found with a stiffness, whatever the unit of the recording",
          "[optim][recording_frame]") {
  const diff::Scenario scenario = swinging_body("film");
  const double unit = GENERATE(1e-3, 1.0, 1e3), noise = 2e-3;
  CAPTURE(unit);
  const std::map<std::string, double> truth{{"stiffness", 1}, {"placement_scale", 1.01 * unit}};
  constexpr int count = 12;
  const std::map<std::string, int> covered = count_covered(truth, count, [&](unsigned seed) {
    FitProblem problem;
    problem.scenarios = {scenario};
    Observation o = test::record(scenario, 5, noise, seed);
    for (Points& frame : o.positions) frame /= 1.01 * unit;
    o.noise.sigma = Vector::Constant(4, noise / (1.01 * unit));
    o.recording_frame.set_scale(unit);
    problem.observations = {o};
    problem.parameters = {stiffness_factor(), shared("placement_scale")};
    return problem;
  });
  for (const auto& [name, value] : truth) {  // fewer than 9 of 12: one of 500 draws
    CAPTURE(name);
    CHECK(covered.at(name) >= 9);
  }
}
