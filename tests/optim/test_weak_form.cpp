#include <cmath>

#include "optim/fit.hpp"
#include "optim/weak_form/weak_form.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;

namespace {

constexpr Index steps_per_frame = 80;  // steps of the recorded run to a frame of 0.04 s

/// A body whose own charges move it, by steps so fine that their error is far below that of the frames.
diff::Scenario body_in_motion(test::BodyOptions options = {}) {
  options.pinned = 1;
  options.integrator = "velocity_verlet";
  options.time_step = 0.04 / steps_per_frame;
  options.steps = 25 * steps_per_frame;
  return test::make_body("body", options);
}

Parameter one_value_each(const std::string& value) {
  Parameter p;
  p.value = value;
  p.entries.sharing = EntrySharing::None;
  p.initial = 20;
  return p;
}

/// The largest relative error of stiffnesses from one half width.
double worst_stiffness(const diff::Scenario& scenario, Index stride, Index half_width) {
  const Observation observed = test::record(scenario, stride, 0, 1);
  const ParameterMap map({scenario}, {one_value_each("stiffness")});
  std::vector<WeakFormEquations> equations(1, WeakFormEquations(map.size()));
  add_weak_form(ForceColumns(map, map.initial(), 0), read_recorded_body(scenario, observed), {half_width}, equations);
  const Vector found = map.initial().array().exp() * (1 + solve_weak_form(equations[0]).u.array());
  const sim::Values& values = scenario.model.values();
  const Vector exact = values[values.find("stiffness").value()];
  return (found.cwiseQuotient(exact).array() - 1).abs().maxCoeff();
}

}  // namespace

TEST_CASE("weak form: its weights are exact for polynomials of fifth order, whatever the window",
          "[optim][weak_form]") {
  for (const Index half_width : {0, 1, 3, 7})
    for (int degree = 0; degree <= 6; ++degree) {
      const double h = 0.25;
      const TestFunction test(half_width, h);
      double inertia = 0, force = 0;
      for (Index n = 0; n < test.frames(); ++n) {
        const double t = 0.3 + h * n;
        inertia += test.inertia[n] * std::pow(t, degree);
        if (degree > 1) force += test.force[n] * degree * (degree - 1) * std::pow(t, degree - 2);
      }
      INFO(half_width << ", " << degree);
      if (degree <= 5)
        CHECK(inertia == Approx(force).epsilon(1e-9).margin(1e-9));  // rounding of powers up to 4⁵, over h²
      else
        CHECK(std::abs(inertia - force) > 1e-3);  // the error is of sixth order in x, fourth in h
    }
}

TEST_CASE("weak form: finds stiffnesses with an error of fourth order in the frames' interval", "[optim][weak_form]") {
  const diff::Scenario scenario = body_in_motion();
  for (const Index half_width : {0, 1}) {
    const double coarse = worst_stiffness(scenario, steps_per_frame, half_width),
                 half = worst_stiffness(scenario, steps_per_frame / 2, half_width);
    INFO(half_width << ": " << coarse << " " << half);
    CHECK(coarse < 0.02);
    CHECK(coarse / half > 11);  // 16 in the limit
    CHECK(coarse / half < 23);
  }
}

TEST_CASE("weak form: derivatives of the forces are those of finite differences", "[optim][weak_form]") {
  diff::Scenario scenario = body_in_motion({.gravity = true});
  Parameter charge = one_value_each("charge"), mass = one_value_each("mass"), stiffness = one_value_each("stiffness");
  charge.entries.selected = {1};
  charge.initial = 6e-6;
  mass.initial = 0.3;
  const ParameterMap map({scenario}, {stiffness, charge, mass});
  const Vector theta = map.initial();
  // A charge acts on the other charges, too.
  CHECK(ForceColumns(map, theta, 0).explain_nonlinear(scenario.initial) != "");
  const ForceColumns forces(map, theta, 0, Reach::All);
  CHECK(forces.explain_nonlinear(scenario.initial) == "");
  Points force, column;
  forces.compute(scenario.initial, force, column);
  CHECK(column.norm() > 0);
  const auto force_at = [&](const Vector& there) {
    Points f = Points::Zero(3, 4);
    const sim::Model model = map.scatter(there, 0).model;
    model.add_forces(scenario.initial, f, sim::every_term);
    return f;
  };
  Points all = Points::Zero(3, 4);
  for (Index k = 0; k < map.size(); ++k) {
    constexpr double step = 1e-5;
    const Points difference =
        (force_at(theta + step * Vector::Unit(map.size(), k)) - force_at(theta - step * Vector::Unit(map.size(), k))) /
        (2 * step);
    Points columns = Points::Zero(3, 4);
    for (std::size_t c = 0; c < forces.columns().size(); ++c)
      if (forces.columns()[c].parameter == k) columns.col(forces.columns()[c].particle) += column.col(c);
    INFO(map.info()[k].name);
    // Held particles have no columns; differences are good to step² and rounding over step.
    CHECK((columns - difference).rightCols(3).norm() <= 1e-8 * force.norm());
  }
}

TEST_CASE("weak form: finds a charge among known ones, with stiffness, damping and masses", "[optim][weak_form]") {
  const diff::Scenario scenario = body_in_motion({.gravity = true});
  const Observation observed = test::record(scenario, steps_per_frame / 2, 0, 1);
  Parameter charge = one_value_each("charge");
  charge.entries.selected = {1};
  charge.initial = 2e-6;
  const ParameterMap map({scenario},
                         {test::shared("damping", 0.2), charge, one_value_each("stiffness"), test::shared("mass", 1)});
  const WeakFormEstimate estimate = estimate_by_weak_form(map, {observed});
  REQUIRE(estimate.missing == "");
  const Vector p = map.physical(estimate.theta);
  // Of the frames: an error of fourth order in 0.02 s, (11 · 0.02)⁴/240 = 1e-5 of the forces.
  CHECK(p[0] == Approx(0.05).epsilon(0.02));
  CHECK(p[1] == Approx(0.8 * 6e-6).epsilon(0.005));
  const Vector stiffness = Vector::LinSpaced(6, 0.8, 1.2) * 12;
  for (Index k = 0; k < 6; ++k) CHECK(p[2 + k] == Approx(stiffness[k]).epsilon(0.005));
  CHECK(p[8] == Approx(0.3).epsilon(0.005));
}

TEST_CASE("weak form: says why there is no estimate", "[optim][weak_form]") {
  const diff::Scenario scenario = body_in_motion();
  const Observation observed = test::record(scenario, steps_per_frame, 0, 1);
  const auto missing = [&](const Observation& observation, const Parameter& parameter) {
    const WeakFormEstimate estimate = estimate_by_weak_form(ParameterMap({scenario}, {parameter}), {observation});
    CHECK(estimate.theta.size() == 0);
    return estimate.missing;
  };
  Observation partial = observed;
  partial.validation.markers = {false, false, true, false};
  CHECK(missing(partial, one_value_each("stiffness")) == "particle 2 has no marker of its own");
  Observation gaps = observed;
  for (std::size_t f = 0; f < gaps.positions.size(); f += 3) gaps.positions[f](1, 3) = NAN;
  CHECK(missing(gaps, one_value_each("stiffness")) ==
        "the whole body is not seen in enough consecutive frames at equal intervals");
  Parameter charges = one_value_each("charge");
  charges.initial = 5e-6;
  CHECK(missing(observed, charges) == "the forces are not linear in the parameters");
}

TEST_CASE("weak form: a body of a micrometer and one of ten kilometers give the same values", "[optim][weak_form]") {
  const diff::Scenario plain = body_in_motion({.charge = 0});
  const auto estimate_at = [&](double unit, double noise) {
    diff::Scenario scenario = plain;
    Vector data = scenario.model.values().data();
    const sim::Values& values = scenario.model.values();
    const sim::ValueBlock& rest = values.block(values.find("rest_length").value());
    data.segment(rest.offset, rest.size) *= unit;
    scenario.model = scenario.model.with_values(data);
    scenario.initial.x *= unit;
    scenario.initial.v *= unit;
    Observation observed = test::record(scenario, steps_per_frame, noise * unit, 1);
    observed.noise.sigma.setConstant(1e-3 * unit);
    const ParameterMap map({scenario}, {one_value_each("stiffness")});
    const WeakFormEstimate estimate = estimate_by_weak_form(map, {observed});
    REQUIRE(estimate.missing == "");
    return map.physical(estimate.theta);
  };
  for (const double noise : {0.0, 1e-3}) {
    const Vector meters = estimate_at(1, noise);
    for (const double unit : {1e-6, 1e4})  // equal but for rounding, which the conjugate gradients end at 1e-10
      CHECK((estimate_at(unit, noise).cwiseQuotient(meters).array() - 1).abs().maxCoeff() < 1e-6);
  }
}

TEST_CASE("weak form: keeps values within their bounds", "[optim][weak_form]") {
  const diff::Scenario scenario = body_in_motion();
  Parameter bounded = one_value_each("stiffness");
  bounded.initial = 8;
  bounded.range.upper = 11;  // the true values lie between 9.6 and 14.4
  const ParameterMap map({scenario}, {bounded});
  const WeakFormEstimate estimate = estimate_by_weak_form(map, {test::record(scenario, steps_per_frame, 0, 1)});
  REQUIRE(estimate.missing == "");
  CHECK((estimate.theta.array() <= map.upper().array()).all());
  CHECK(map.physical(estimate.theta)[5] == Approx(11));
}

TEST_CASE("weak form: a fit by Gauss-Newton begins with it and needs few iterations", "[optim][weak_form]") {
  FitProblem problem;
  problem.observations = {test::record(body_in_motion(), steps_per_frame, 1e-3, 1)};
  diff::Scenario scenario = body_in_motion();
  scenario.integrator = "imex_midpoint";
  scenario.time_step *= 10;
  scenario.steps /= 10;
  problem.scenarios = {scenario};
  Parameter stiff = one_value_each("stiffness");
  stiff.initial = 60;  // five times too stiff
  problem.parameters = {stiff};
  problem.search.solver = "gauss_newton";
  const FitReport with = fit(problem);
  REQUIRE(with.search.summary.size() >= 1);
  CHECK(with.search.summary.front().find("weak form, windows of") != std::string::npos);
  CHECK(with.search.status == MinimizerStatus::Converged);
  const Vector stiffness = Vector::LinSpaced(6, 0.8, 1.2) * 12;
  for (Index k = 0; k < 6; ++k) CHECK(with.estimates.parameters[k].estimate == Approx(stiffness[k]).epsilon(0.05));
  problem.search.weak_form_start = false;
  const FitReport without = fit(problem);
  CHECK(without.search.summary.empty());
  CHECK(with.search.cost_history.front() < 0.01 * without.search.cost_history.front());
  CHECK(with.search.cost_history.back() <= 1.001 * without.search.cost_history.back());
  CHECK(with.search.cost_history.size() <= without.search.cost_history.size());

  problem.search.weak_form_start = true;
  problem.observations[0].validation.markers = {false, false, true, false};
  problem.parameters[0].initial = 12;
  const FitReport unseen = fit(problem);
  REQUIRE(unseen.search.summary.size() >= 1);
  CHECK(unseen.search.summary.front() ==
        "the search began at the given start: the weak form has no estimate, because particle 2 has no marker of its "
        "own");
}
