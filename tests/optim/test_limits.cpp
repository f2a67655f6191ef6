#include "optim/fit/checked_intervals.hpp"

#include <algorithm>
#include <cmath>

#include "optim/fit.hpp"
#include "optim/fit/problem.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/notes.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::contains;
using pithball::test::make_body;
using pithball::test::shared;
using pithball::test::tells;
using pithball::test::times_truth;

namespace {

/// The body with one of its values changed.
diff::Scenario body_with(const Parameter& value) {
  const ParameterMap map({make_body("a")}, {value});
  return map.scatter(map.initial(), 0);
}

/// Drag and stiffness from a recording by the same integrator, so that only noise separates estimate and truth.
FitProblem drag_and_stiffness(const diff::Scenario& truth, double start, double noise, unsigned seed) {
  FitProblem problem;
  problem.scenarios = {truth};
  problem.observations = {test::record(truth, 2, noise, seed)};
  problem.parameters = {shared("linear_drag", start), times_truth("stiffness", 0.9)};
  return problem;
}

}  // namespace

TEST_CASE("limits: a drag that is not there is an upper limit, on any scale", "[optim][fit][limits]") {
  const diff::Scenario truth = make_body("a");  // without any drag
  for (const Transform::Kind kind : {Transform::Kind::Log, Transform::Kind::Scaled}) {
    int limited = 0;
    for (unsigned seed = 1; seed <= 20; ++seed) {
      FitProblem problem = drag_and_stiffness(truth, 0.01, 1e-3, seed);
      problem.parameters[0].range.transform = kind;
      const FitReport report = fit(problem);
      const FittedParameter& drag = report.estimates.parameters[0];
      INFO(to_string(kind) << ", seed " << seed << ": " << drag.estimate << " ± " << drag.standard_error);
      CHECK(drag.identifiable);
      CHECK(std::isfinite(drag.interval.upper));
      CHECK(drag.interval.lower >= 0);
      if (kind == Transform::Kind::Log) CHECK(drag.estimate >= 0.01 * 1e-6 * (1 - 1e-12));
      if (std::isnan(drag.interval.upper_limit)) {
        CHECK(drag.estimate >= drag.standard_error);
        continue;
      }
      ++limited;
      if (drag.estimate >= drag.standard_error) {  // a two-sided interval that reaches 0
        CHECK(drag.interval.lower == 0);
        CHECK(drag.interval.upper == drag.interval.upper_limit);
        CHECK((drag.interval.upper_limit - drag.estimate) / drag.standard_error > 1.8);
        continue;
      }
      // t of 15 degrees and more: robust errors of few frames may be the widest.
      const double errors = (drag.interval.upper_limit - drag.estimate) / drag.standard_error;
      CHECK(errors > 1.644);
      CHECK(errors < 1.76);
      CHECK(drag.interval.lower == 0);
      CHECK(drag.interval.upper == drag.interval.upper_limit);
      CHECK(drag.interval.upper_limit < 0.01);  // beside the start, it is nothing
      CHECK(tells(report, "linear_drag is consistent with 0: it is below "));
      CHECK(std::isnan(report.estimates.parameters[1].interval.upper_limit));
    }
    // One standard error above 0 or less: 84 % of 20. Less than 10 come by chance once in 3,000.
    CHECK(limited >= 10);
  }
}

TEST_CASE("limits: a value that the recording determines keeps its interval", "[optim][fit][limits]") {
  const FitReport report = fit(drag_and_stiffness(body_with(shared("linear_drag", 0.2)), 0.1, 1e-3, 3));
  for (const FittedParameter& p : report.estimates.parameters) {
    INFO(p.name);
    CHECK(std::isnan(p.interval.upper_limit));
    CHECK_FALSE(p.interval.at_bound);
    CHECK(p.interval.lower > 0);
    // On a logarithmic scale the estimate is the geometric mean of the ends.
    CHECK(std::sqrt(p.interval.lower * p.interval.upper) == Approx(p.estimate).epsilon(1e-9));
  }
  CHECK_FALSE(tells(report, "consistent with 0"));
  CHECK_FALSE(tells(report, "bound"));
}

TEST_CASE("limits: a value too large to be measured is not called consistent with 0", "[optim][fit][limits]") {
  // In so much drag the body creeps, by less than its markers tell: every larger drag fits as well, and no small one.
  const diff::Scenario truth = body_with(shared("linear_drag", 60));
  int uncertain = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    FitProblem problem = drag_and_stiffness(truth, 30, 0.1, seed);
    problem.parameters.resize(1);
    const FitReport report = fit(problem);
    const FittedParameter& drag = report.estimates.parameters[0];
    INFO("seed " << seed << ": " << drag.estimate << " ± " << drag.standard_error);
    CHECK(std::isnan(drag.interval.upper_limit));
    CHECK_FALSE(tells(report, "consistent with 0"));
    uncertain += std::isfinite(drag.standard_error) && drag.estimate < drag.standard_error;
  }
  CHECK(uncertain > 0);  // so that there was something to be mistaken
}

TEST_CASE("limits: where χ² stays as it is up to a limit, there is none", "[optim][fit][limits]") {
  // Noise so far above the motion that a body which does not move at all fits as well: every drag does, but by the
  // slope at 0 the linearized problem would claim a limit.
  int open = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    FitProblem problem = drag_and_stiffness(make_body("a"), 0.5, 30, seed);
    problem.parameters.resize(1);
    const FitReport report = fit(problem);
    const FittedParameter& drag = report.estimates.parameters[0];
    INFO("seed " << seed << ": " << drag.estimate << " ± " << drag.standard_error);
    CHECK(std::isnan(drag.interval.upper_limit));
    if (!tells(report, "linear_drag: χ² hardly rises")) continue;
    ++open;
    CHECK_FALSE(drag.identifiable);
    CHECK_FALSE(tells(report, "consistent with 0"));
  }
  CHECK(open > 0);
}

TEST_CASE("limits: an active bound is one end of its interval, and errors of the others hold it",
          "[optim][fit][limits]") {
  const diff::Scenario truth = make_body("a");
  FitProblem problem;
  problem.scenarios = {truth};
  problem.observations = {test::record(truth, 2, 5e-3, 4)};
  problem.parameters = {times_truth("charge", 0.7), times_truth("stiffness", 0.9)};
  problem.parameters[0].range.lower = 0.5;
  problem.parameters[0].range.upper = 0.9;  // the truth is 1
  const FitReport report = fit(problem);
  const FittedParameter &charge = report.estimates.parameters[0], &stiffness = report.estimates.parameters[1];
  REQUIRE(charge.interval.at_bound);
  CHECK(charge.interval.upper == 0.9);
  CHECK(charge.interval.lower < 0.9);
  CHECK(charge.interval.lower >= 0.5);
  CHECK(charge.standard_error > 0);
  CHECK(std::isfinite(charge.standard_error));
  CHECK(std::isnan(report.estimates.correlation(0, 1)));
  CHECK(report.estimates.weak_directions.empty());
  CHECK(tells(report, "charge: the estimate lies on a bound; its interval is one-sided, and the errors"));

  // The same with that charge, known.
  problem.scenarios = {body_with(times_truth("charge", 0.9))};
  problem.parameters.erase(problem.parameters.begin());
  const FitReport known = fit(problem);
  CHECK(stiffness.estimate == Approx(known.estimates.parameters[0].estimate).epsilon(1e-5));
  CHECK(stiffness.standard_error == Approx(known.estimates.parameters[0].standard_error).epsilon(1e-3));
  CHECK(stiffness.interval.lower == Approx(known.estimates.parameters[0].interval.lower).epsilon(1e-4));
}

TEST_CASE("limits: a single value on its bound is judged as if there were none", "[optim][fit][limits]") {
  FitProblem problem;
  problem.scenarios = {make_body("a")};
  problem.observations = {test::record(make_body("a"), 2, 5e-3, 5)};
  problem.parameters = {times_truth("stiffness", 0.5)};
  problem.parameters[0].range.upper = 0.8;
  const FittedParameter p = fit(problem).estimates.parameters[0];
  REQUIRE(p.interval.at_bound);
  CHECK(p.identifiable);
  CHECK(p.interval.upper == 0.8);
  CHECK(p.interval.lower < 0.8);
  CHECK(p.interval.lower > 0.4);
}

TEST_CASE("limits: intervals end where values must", "[optim][limits]") {
  ParameterInfo info;
  info.lower = 10;
  info.upper = 39.95;
  info.transform = Transform(Transform::Kind::Scaled, 10);
  ParameterErrors errors;
  errors.half_width = 0.2;  // of θ = p/10
  errors.one_sided = 0.16;
  FittedParameter p;
  set_interval(info, BoundSide::None, 3.9, errors, p);
  CHECK(p.interval.lower == Approx(37).epsilon(1e-14));
  CHECK(p.interval.upper == 39.95);
  set_interval(info, BoundSide::Upper, 3.995, errors, p);
  CHECK(p.interval.lower == Approx(38.35).epsilon(1e-14));
  CHECK(p.interval.upper == 39.95);
  set_interval(info, BoundSide::Lower, 1, errors, p);
  CHECK(p.interval.lower == 10);
  CHECK(p.interval.upper == Approx(11.6).epsilon(1e-14));
  set_interval(info, BoundSide::None, 2, errors, p);  // far from both: as ever
  CHECK(p.interval.lower == Approx(18).epsilon(1e-14));
  CHECK(p.interval.upper == Approx(22).epsilon(1e-14));
}

TEST_CASE("limits: a value that vanished is raised only if the residuals do not change", "[optim][fit][limits]") {
  const diff::Scenario truth = make_body("a");
  FitProblem problem = drag_and_stiffness(truth, 0.01, 1e-3, 1);
  problem.parameters = {shared("linear_drag", 0.01), times_truth("stiffness", 1)};
  const ResolvedFit resolved(problem);
  SearchEnd end;
  end.theta = resolved.map().initial();
  const Vector start = end.theta;
  end = lift_vanished_values(resolved, {}, end);
  CHECK(end.theta == start);  // nothing has vanished
  CHECK(end.evaluations.forward == 0);
  end.theta[0] = std::log(1e-300);
  end = lift_vanished_values(resolved, {}, end);
  CHECK(end.theta[0] == Approx(std::log(0.01 * 1e-6)).epsilon(1e-12));
  CHECK(end.theta[1] == start[1]);
  CHECK(end.evaluations.forward == 2);

  // Of a start at 1e5 kg/s, a millionth is a drag that everybody notices.
  problem.parameters[0].initial = 1e5;
  const ResolvedFit high(problem);
  SearchEnd far;
  far.theta = high.map().initial();
  far.theta[0] = std::log(1e-300);
  CHECK(lift_vanished_values(high, {}, far).theta[0] == Approx(std::log(1e5 * 1e-12)).epsilon(1e-12));
}

TEST_CASE("observation: what is only supposed places a marker and has no residual", "[optim][observation][limits]") {
  FitProblem problem;
  problem.scenarios = {make_body("a")};
  problem.observations = {test::record(make_body("a"), 5, 1e-3, 1)};
  problem.parameters = {times_truth("stiffness", 0.9)};
  const FitReport whole = fit(problem);
  Observation& o = problem.observations[0];
  for (sim::Points& x : o.positions) x.row(2).setConstant(7);
  o.supposed.assign(o.markers.size(), {false, false, true});
  CHECK(std::isnan(o.sight(0, 1)[2]));
  CHECK(o.place(0, 1)[2] == 7);
  CHECK(o.sight(0, 1)[0] == o.place(0, 1)[0]);
  const FitReport supposed = fit(problem);
  o.supposed.clear();
  for (sim::Points& x : o.positions) x.row(2).setConstant(NAN);
  const FitReport missing = fit(problem);
  CHECK(supposed.estimates.degrees_of_freedom == 11 * 4 * 2 - 1);
  CHECK(whole.estimates.degrees_of_freedom == 11 * 4 * 3 - 1);
  CHECK(supposed.estimates.parameters[0].estimate == missing.estimates.parameters[0].estimate);
  CHECK(supposed.estimates.parameters[0].standard_error == missing.estimates.parameters[0].standard_error);
}
