// Errors of what a fit holds: carried to the estimates, exact to first order.
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "optim/fit.hpp"
#include "optim/fit/held_budget.hpp"
#include "optim/fit/problem.hpp"
#include "optim/observation/local_start.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "optim/search/start_points.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::make_body;
using pithball::test::shared;

namespace {

/// The charged body with stiffness and charge to find, as factors of the truth.
FitProblem body_problem(double noise, unsigned seed) {
  const diff::Scenario truth = make_body("a");
  FitProblem problem;
  problem.scenarios = {truth};
  problem.observations = {test::record(truth, 1, noise, seed)};
  for (const char* value : {"stiffness", "charge"}) {
    problem.parameters.push_back(shared(value, 1.0));
    problem.parameters.back().factor = true;
  }
  problem.search.minimizer.function_tolerance = 1e-14;
  return problem;
}

Eigen::Matrix2d lower_root(const Eigen::Matrix2d& covariance) { return covariance.llt().matrixL(); }

/// Holds the start that the first frames tell, with its error.
void start_from_recording(FitProblem& problem) {
  diff::Scenario& scenario = problem.scenarios[0];
  const LocalStarts starts = fit_local_starts(problem.observations[0]);
  std::vector<ValueError> errors;
  for (Index i = 0; i < 4; ++i)
    for (int a = 0; a < 3; ++a) {
      const LocalStart& start = starts.markers.at(static_cast<std::size_t>(i));
      scenario.initial.x(a, i) = start.x[a];
      scenario.initial.v(a, i) = start.v[a];
      errors.push_back({{scenario.position_offset() + 3 * i + a, scenario.velocity_offset() + 3 * i + a},
                        lower_root(start.covariance[a])});
    }
  problem.value_errors = {errors};
}

}  // namespace

TEST_CASE("held values: a line with a known intercept has the textbook error", "[optim][uncertainty][reference]") {
  // y = a + b t at t = 1, 2, 3, σ = 1, a held with a deviation of 0.5: var b = 1/14 + (6/14)²·0.25.
  Eigen::MatrixXd J(3, 1);
  J << 1, 2, 3;
  Uncertainty u = compute_uncertainty(sim::Vector::Zero(3), J, {"b"}, {.absolute_sigma = true});
  const Eigen::MatrixXd G = (J.transpose() * J).inverse() * J.transpose() * Eigen::MatrixXd::Constant(3, 1, 0.5);
  carry_error(G * G.transpose(), u);
  const double variance = 1.0 / 14 + 36.0 / 196 * 0.25;
  CHECK(u.covariance(0, 0) == Approx(variance).epsilon(1e-12));
  CHECK(u.standard_error[0] == Approx(std::sqrt(variance)).epsilon(1e-12));
  CHECK(u.half_width[0] == Approx(1.959964 * std::sqrt(variance)).epsilon(1e-6));
}

TEST_CASE("held values: a common error correlates what it moves", "[optim][uncertainty]") {
  // Two values of variance 1, both moved by one error of deviation 2: covariance 4, correlation 4/5.
  Uncertainty u =
      compute_uncertainty(sim::Vector::Zero(2), Eigen::MatrixXd::Identity(2, 2), {"a", "b"}, {.absolute_sigma = true});
  carry_error(Eigen::MatrixXd::Constant(2, 2, 4), u);
  CHECK(u.correlation(0, 1) == Approx(0.8).epsilon(1e-12));
  CHECK(u.correlation(1, 0) == Approx(0.8).epsilon(1e-12));
  CHECK(u.correlation(1, 1) == 1);
}

TEST_CASE("held values: what the data do not determine stays unknown", "[optim][uncertainty]") {
  Eigen::MatrixXd J(3, 3);
  J << 1, 0, 0, 0, 1, 1, 0, 1, 1;
  Uncertainty u = compute_uncertainty(sim::Vector::Zero(3), J, {"a", "b", "c"}, {.absolute_sigma = true});
  carry_error(Eigen::MatrixXd::Identity(3, 3), u);
  CHECK(u.standard_error[0] == Approx(std::sqrt(2.0)).epsilon(1e-12));
  CHECK(std::isinf(u.standard_error[1]));
  CHECK(std::isnan(u.covariance(1, 2)));
}

TEST_CASE("held values: adjoints of values that are not fitted agree with the difference quotient",
          "[optim][fit][fd]") {
  const FitProblem problem = body_problem(0, 1);
  const ResolvedFit resolved(problem);
  const TrajectoryResidual& residual = resolved.residual().trajectories();
  const sim::Vector theta = resolved.map().initial();
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(residual.rows(), 2);
  for (Index k = 0; k < residual.rows(); ++k) W(k, 0) = std::sin(static_cast<double>(k));
  std::vector<Eigen::MatrixXd> gradients;
  REQUIRE(compute_value_gradients(residual, theta, {0}, W, gradients).ok());
  REQUIRE(gradients.size() == 1);
  const diff::Scenario& given = problem.scenarios[0];
  CHECK(gradients[0].col(1).norm() == 0);
  const auto product = [&](Index entry, double change) {
    FitProblem moved = problem;
    sim::Vector values = recording_values(given, problem.observations[0].recording_frame);
    values[entry] += change;
    moved.scenarios[0] = given.with_physical_values(values.head(given.size()));
    moved.observations[0].recording_frame = RecordingFrame::of(values.tail(RecordingFrame::size()));
    const ResolvedFit there(moved);
    sim::Vector r;
    REQUIRE(there.residual().trajectories().evaluate(theta, r, nullptr).ok());
    return W.col(0).dot(r);
  };
  for (const Index entry :
       {given.position_offset() + 4, given.velocity_offset() + 8, given.size() + 3, given.size() + 7}) {
    const double h = 1e-5, quotient = (product(entry, h) - product(entry, -h)) / (2 * h);
    CHECK(gradients[0](entry, 0) == Approx(quotient).epsilon(1e-5));
  }
}

TEST_CASE("held values: the error carried is that of fits whose start is moved", "[optim][fit][reference]") {
  FitProblem problem = body_problem(0, 1);
  const diff::Scenario& given = problem.scenarios[0];
  const double deviation = 1e-4;
  const Index entry = given.velocity_offset() + 3 * 2 + 1;
  problem.uncertainty.options.absolute_sigma = true;
  const FitReport exact = fit(problem);
  FitProblem moved = problem;
  moved.scenarios[0].initial.v(1, 2) += deviation;
  const FitReport other = fit(moved);
  problem.value_errors = {{{{entry}, Eigen::MatrixXd::Constant(1, 1, deviation)}}};
  const FitReport carried = fit(problem);
  for (std::size_t k = 0; k < 2; ++k) {
    const double before = exact.estimates.parameters[k].standard_error,
                 after = carried.estimates.parameters[k].standard_error;
    const double move = other.estimates.parameters[k].estimate - exact.estimates.parameters[k].estimate;
    INFO(before << " " << after << " " << move);
    CHECK(carried.estimates.parameters[k].estimate == exact.estimates.parameters[k].estimate);
    CHECK(std::sqrt(after * after - before * before) == Approx(std::abs(move)).epsilon(0.02));
  }
  // What is fitted is not held: its error is that of the data.
  Parameter start = shared("velocity");
  start.entries.sharing = EntrySharing::None;
  start.entries.selected = {2};
  start.entries.components = "y";
  start.is_nuisance = true;
  problem.parameters.push_back(start);
  const FitReport with = fit(problem);
  problem.value_errors.clear();
  CHECK(fit(problem).estimates.parameters[0].standard_error == with.estimates.parameters[0].standard_error);
}

TEST_CASE("held values: the error of a rest is that of fits whose rest is moved", "[optim][fit][reference]") {
  FitProblem problem = body_problem(0, 1);
  Observation& seen = problem.observations[0];
  seen.reference = {Reference::Kind::Start, {}, seen.positions.front()};
  problem.uncertainty.options.absolute_sigma = true;
  const FitReport exact = fit(problem);
  const double deviation = 1e-4;
  problem.value_errors = {
      {{{reference_entry(problem.scenarios[0], 2, 1)}, Eigen::MatrixXd::Constant(1, 1, deviation)}}};
  const FitReport carried = fit(problem);
  seen.reference.observed(1, 2) += deviation;
  const FitReport other = fit(problem);
  for (std::size_t k = 0; k < 2; ++k) {
    const double before = exact.estimates.parameters[k].standard_error,
                 after = carried.estimates.parameters[k].standard_error;
    const double move = other.estimates.parameters[k].estimate - exact.estimates.parameters[k].estimate;
    INFO(before << " " << after << " " << move);
    REQUIRE(std::abs(move) > 0);
    // To first order; the move is 1e-4 of the truth.
    CHECK(std::sqrt(after * after - before * before) == Approx(std::abs(move)).epsilon(0.02));
  }
}

TEST_CASE("held values: with a start from the first frames intervals hold the truth", "[optim][fit][coverage]") {
  int inside = 0, bare = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    FitProblem problem = body_problem(1e-4, seed);
    problem.observations[0].noise.sigma.setConstant(1e-4);
    problem.uncertainty.options.absolute_sigma =
        true;  // else what a wrong start leaves in the residuals widens them too
    start_from_recording(problem);
    const FitReport report = fit(problem);
    problem.value_errors.clear();
    const FitReport without = fit(problem);
    for (std::size_t k = 0; k < 2; ++k) {
      // By the formal errors: the robust ones take what a wrong start leaves in the residuals for noise.
      const auto holds = [k](const FitReport& r) {
        return std::abs(r.estimates.parameters[k].estimate - 1) < 1.96 * r.estimates.parameters[k].errors.formal;
      };
      if (holds(report)) ++inside;
      if (holds(without)) ++bare;
    }
  }
  INFO("inside " << inside << " of 120, with a start taken as exact " << bare);
  // 95 % of 120 is 114 ± 2.4: fewer than 104 once in 10,000.
  CHECK(inside >= 104);
  CHECK(bare < 60);
}

TEST_CASE("start_points: nuisance parameters are left alone", "[optim][search]") {
  Parameter start = shared("velocity");
  start.entries.sharing = EntrySharing::None;
  start.is_nuisance = true;
  const ParameterMap map({make_body("a")}, {shared("stiffness"), start});
  REQUIRE(map.size() == 13);
  CHECK_FALSE(map.info()[0].is_nuisance);
  CHECK(map.info()[1].is_nuisance);
  const std::vector<sim::Vector> points = make_start_points(map, {.count = 5});  // most velocities start at 0
  REQUIRE(points.size() == 5);
  for (const sim::Vector& point : points) CHECK(point.tail(12) == map.initial().tail(12));
  CHECK(points[1][0] != points[2][0]);
}
