#include "optim/fit/checked_intervals.hpp"

#include <algorithm>
#include <cmath>

#include "optim/fit.hpp"
#include "optim/fit/scaled_fit.hpp"
#include "optim/uncertainty/profile.hpp"
#include "sim/core/parallel_for.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/notes.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::make_body;
using pithball::test::tells;
using pithball::test::times_truth;

namespace {

/// Stiffness and charge of a body from a recording by the same integrator, with this noise [m].
FitProblem noisy_problem(double noise, unsigned seed) {
  const diff::Scenario truth = make_body("a");
  FitProblem problem;
  problem.scenarios = {truth};
  problem.observations = {test::record(truth, 2, noise, seed)};
  problem.parameters = {times_truth("stiffness", 1.1), times_truth("charge", 0.9)};
  return problem;
}

/// So much noise that the stiffness is known to a fifth or so, far beyond where it is linear.
constexpr double much_noise = 0.12;

/// Fits that many recordings with much noise; at least this share of intervals must hold the truth.
void check_coverage_far_from_linear(int recordings, double least) {
  int held = 0, counted = 0, by_profile = 0;
  for (unsigned seed = 1; static_cast<int>(seed) <= recordings; ++seed) {
    const FitReport report = fit(noisy_problem(much_noise, seed));
    if (report.search.status != MinimizerStatus::Converged) continue;
    for (const FittedParameter& p : report.estimates.parameters) {
      ++counted;
      held += p.interval.lower <= 1 && 1 <= p.interval.upper;
      by_profile += p.interval.method == IntervalMethod::Profile;
    }
  }
  INFO(held << " of " << counted << ", " << by_profile << " by profile");
  CHECK(counted > 1.9 * recordings);
  CHECK(by_profile > counted / 4);  // so that profiles are what is tested
  CHECK(held >= least * counted);
}

}  // namespace

TEST_CASE("checked intervals: what is known well keeps its linearized interval, at two runs a value",
          "[optim][fit][interval]") {
  FitProblem problem = noisy_problem(2e-3, 1);
  const FitReport checked = fit(problem);
  for (const FittedParameter& p : checked.estimates.parameters) {
    INFO(p.name);
    CHECK(p.interval.method == IntervalMethod::Linear);
    CHECK(p.interval.curvature < curved);
    CHECK(p.interval.curvature > 0);
    CHECK(p.identifiable);
  }
  CHECK(checked.estimates.profiles.empty());
  CHECK_FALSE(tells(checked, "linearized"));
  problem.uncertainty.interval = IntervalMethod::Linear;
  const FitReport linear = fit(problem);
  CHECK(linear.search.evaluations.forward == checked.search.evaluations.forward);  // checked all the same
  CHECK(linear.estimates.parameters[0].interval.lower == checked.estimates.parameters[0].interval.lower);
}

TEST_CASE("checked intervals: residuals that are rounding are no scatter to be held against, small noise is",
          "[optim][fit][interval]") {
  const FitReport exact = fit(noisy_problem(0, 1)), noisy = fit(noisy_problem(1e-4, 1));  // of a motion of 10 cm
  for (std::size_t k = 0; k < exact.estimates.parameters.size(); ++k) {
    INFO(exact.estimates.parameters[k].name);
    CHECK(std::isnan(exact.estimates.parameters[k].interval.curvature));
    CHECK(noisy.estimates.parameters[k].interval.curvature > 0);
  }
}

TEST_CASE("checked intervals: where errors are large the interval is that of the profile, at any number of threads",
          "[optim][fit][interval]") {
  FitProblem problem = noisy_problem(2 * much_noise, 3);
  const FitReport report = fit(problem);
  REQUIRE(report.estimates.profiles.size() >= 1);
  for (const FittedProfile& profile : report.estimates.profiles) {
    const auto p =
        std::ranges::find_if(report.estimates.parameters, [&](const auto& one) { return one.name == profile.name; });
    INFO(p->name << " " << p->estimate << " ± " << p->standard_error << ": " << p->interval.lower << ", "
                 << p->interval.upper << ", curvature " << p->interval.curvature);
    CHECK(p->interval.method == IntervalMethod::Profile);
    CHECK(p->interval.curvature > curved);
    CHECK(p->interval.lower <= p->estimate);
    CHECK(p->interval.upper >= p->estimate);
    if (profile.open_above.empty()) CHECK(p->interval.upper == profile.interval_upper);
    if (profile.open_below.empty()) CHECK(p->interval.lower == profile.interval_lower);
  }
  problem.uncertainty.interval = IntervalMethod::Linear;
  const FitReport linear = fit(problem);
  CHECK(tells(linear, "is that of the linearized problem, which is not accurate"));
  CHECK(linear.estimates.profiles.empty());

  problem.uncertainty.interval = IntervalMethod::Profile;
  sim::set_max_threads(1);
  const FitReport alone = fit(problem);
  sim::set_max_threads(3);
  const FitReport three = fit(problem);
  for (std::size_t k = 0; k < alone.estimates.parameters.size(); ++k) {
    CHECK(alone.estimates.parameters[k].interval.lower == three.estimates.parameters[k].interval.lower);
    CHECK(alone.estimates.parameters[k].interval.upper == three.estimates.parameters[k].interval.upper);
  }
}

TEST_CASE("checked intervals: of 25 recordings, they hold the truth where linearized ones are far from linear",
          "[optim][fit][interval][coverage]") {
  // 95 % of 25 independent recordings scatters by 4.4 %; less than 82 % comes by chance once in 400.
  check_coverage_far_from_linear(25, 0.82);
}

TEST_CASE("checked intervals: they hold the truth where linearized ones are far from linear",
          "[optim][fit][interval][coverage][slow]") {
  // 95 % of 100 independent recordings scatters by 2.2 %; less than 88 % comes by chance once in a thousand. The widest
  // of two kinds of errors of 26 frames holds more than 95 %.
  check_coverage_far_from_linear(100, 0.88);
}

TEST_CASE(
    "bootstrap: intervals of a linear problem are those of its errors, and hold the truth in frames that are alike",
    "[optim][fit][interval][coverage]") {
  FitProblem problem = noisy_problem(2e-3, 1);
  const FitReport linear = fit(problem);
  problem.uncertainty.interval = IntervalMethod::Bootstrap;
  const FitReport resampled = fit(problem);
  for (std::size_t k = 0; k < linear.estimates.parameters.size(); ++k) {
    const FittedParameter &a = linear.estimates.parameters[k], &b = resampled.estimates.parameters[k];
    INFO(a.name << ": " << a.interval.lower << ", " << a.interval.upper << " and " << b.interval.lower << ", "
                << b.interval.upper);
    CHECK(b.interval.method == IntervalMethod::Bootstrap);
    CHECK(a.estimate == b.estimate);
    // An end by 200 draws scatters by a tenth of the half width, and one by 26 frames' residuals by as much.
    const double width = a.interval.upper - a.interval.lower;
    CHECK(b.interval.lower == Approx(a.interval.lower).margin(0.25 * width));
    CHECK(b.interval.upper == Approx(a.interval.upper).margin(0.25 * width));
    CHECK(b.interval.upper - b.interval.lower > 0.5 * width);
  }
  CHECK(resampled.estimates.parameters[0].interval.lower ==
        fit(problem).estimates.parameters[0].interval.lower);  // seeds are fixed
  // Two or three steps of a linear problem each.
  CHECK(resampled.search.evaluations.adjoint - linear.search.evaluations.adjoint < 3 * bootstrap_draws);
}

TEST_CASE("bootstrap: its ends are not held against the model, and cost no run beside the draws",
          "[optim][fit][interval]") {
  FitProblem problem = noisy_problem(2e-3, 1);
  const FitReport linear = fit(problem);
  problem.uncertainty.interval = IntervalMethod::Bootstrap;
  const FitReport resampled = fit(problem);
  for (const FittedParameter& p : resampled.estimates.parameters) {
    INFO(p.name);
    REQUIRE(p.interval.method == IntervalMethod::Bootstrap);
    CHECK(std::isnan(p.interval.curvature));
  }
  // A step of a draw is a recorded run and its adjoint; the linearized intervals were looked at by two runs each.
  const auto steps = resampled.search.evaluations.adjoint - linear.search.evaluations.adjoint;
  REQUIRE(steps >= bootstrap_draws);
  CHECK(resampled.search.evaluations.forward - steps ==
        linear.search.evaluations.forward - 2 * static_cast<Index>(linear.estimates.parameters.size()));

  problem.uncertainty.profiles = {problem.parameters[0].value};  // a curve that is wanted is drawn all the same
  const FitReport drawn = fit(problem);
  REQUIRE(drawn.estimates.profiles.size() == 1);
  CHECK(drawn.estimates.profiles[0].name == drawn.estimates.parameters[0].name);
  CHECK(std::isnan(drawn.estimates.parameters[0].interval.curvature));
  CHECK(drawn.estimates.parameters[0].interval.method == IntervalMethod::Bootstrap);
  CHECK(drawn.estimates.parameters[0].interval.lower == resampled.estimates.parameters[0].interval.lower);
  CHECK(drawn.estimates.parameters[0].interval.upper == resampled.estimates.parameters[0].interval.upper);
}
