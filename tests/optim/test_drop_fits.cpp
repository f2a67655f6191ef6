// Fits of a drop between plates: switch times, a mass that follows the radius, and Brownian motion.

#include <Eigen/Cholesky>
#include <random>

#include "optim/diagnosis/candidate.hpp"
#include "optim/fit.hpp"
#include "optim/fit/fit_optimum.hpp"
#include "optim/fit/fit_prior.hpp"
#include "optim/observation/free_diffusion.hpp"
#include "optim/observation/walk_whitening.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/optim/falling_drop.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using test::complaint;
using test::contains;
using test::Drop;

namespace {

constexpr double micron = 1e-6;
const Drop true_drop, start_drop{0.7e-18, 570e-9, Vector{{4.2, 8.17}}};

/// How often the intervals of a fit held the truth, by value; the squares of its errors in units of their covariance;
/// and how much larger χ² is at the truth, which is χ² with 4 degrees of freedom also where a value is not linear.
struct Held {
  Vector counts = Vector::Zero(4);
  double square = 0, rise = 0, films = 0;

  void add(const FitReport& report, const ResolvedFit& at_truth) {
    const ParameterMap& map = at_truth.map();
    const Vector values = test::values_of(true_drop);
    Vector missed(4), there(4), r_found, r_true;
    for (Index k = 0; k < 4; ++k) {
      const FittedParameter& p = report.estimates.parameters[k];
      counts[k] += p.interval.lower <= values[k] && values[k] <= p.interval.upper;
      there[k] = map.info()[k].transform.theta(values[k]);
    }
    missed = (report.theta - there).cwiseQuotient(report.theta_error);
    square += missed.dot(report.estimates.correlation.ldlt().solve(missed));
    REQUIRE(at_truth.residual().trajectories().evaluate(report.theta, r_found, nullptr).ok());
    REQUIRE(at_truth.residual().trajectories().evaluate(there, r_true, nullptr).ok());
    rise += r_true.squaredNorm() - r_found.squaredNorm();
    films += 1;
  }
};

/// Fits films with noise of 1 µm, and Brownian motion for a thermal energy [J].
Held fit_films(unsigned films, double thermal_energy) {
  Held held;
  const diff::Scenario drop = test::make_drop(true_drop);
  for (unsigned seed = 1; seed <= films; ++seed) {
    const FitProblem problem = test::drop_problem(test::film_drop(drop, 100, micron, thermal_energy, seed), start_drop);
    const FitReport report = fit(problem);
    REQUIRE(report.search.status == MinimizerStatus::Converged);
    held.add(report, ResolvedFit(with_diffusion(problem, {drop})));
  }
  return held;
}

/// `sigmas`: how many standard errors of the counts are allowed.
void check_coverage(const Held& held, double sigmas) {
  const double n = held.films, error = std::sqrt(0.05 * 0.95 / n);
  INFO("mean χ² " << held.square / n << " by the covariance, " << held.rise / n << " by the cost; held "
                  << held.counts.transpose() << " of " << n);
  for (Index k = 0; k < 4; ++k) {
    CHECK(held.counts[k] / n > 0.95 - sigmas * error);
    CHECK(held.counts[k] / n <= std::min(1.0, 0.95 + sigmas * error));
  }
  // χ² with 4 degrees of freedom: mean 4, variance 8. By the covariance it is a little larger: with diffusion, a switch
  // time is known to a third of the interval of the frames, over which it is not linear, and its interval is a
  // profile's.
  CHECK(std::abs(held.rise / n - 4) < sigmas * std::sqrt(8 / n));
  CHECK(std::abs(held.square / n - 4) < sigmas * std::sqrt(8 / n) + 0.8);
}

}  // namespace

TEST_CASE("switched field: the Jacobian of a drop's film is the difference quotient", "[optim][switched_field][fd]") {
  for (const std::string integrator : {"imex_midpoint", "imex_bdf2"})
    for (const double heat : {0.0, test::room_heat}) {
      INFO(integrator << " " << heat);
      const test::DropRun run{.integrator = integrator};
      const FitProblem problem =
          test::drop_problem(test::film_drop(test::make_drop(true_drop, run), 100, micron, heat, 1), start_drop, run);
      const ResolvedFit resolved(problem);
      const TrajectoryResidual& residual = resolved.residual().trajectories();
      const Vector theta = residual.map().initial() + 0.01 * Vector::Ones(4);
      Vector r, ahead, behind;
      Eigen::MatrixXd J;
      REQUIRE(residual.evaluate(theta, r, &J).ok());
      const double h = 1e-6;
      for (Index k = 0; k < 4; ++k) {
        INFO(residual.map().names()[k]);
        REQUIRE(residual.evaluate(theta + h * Vector::Unit(4, k), ahead, nullptr).ok());
        REQUIRE(residual.evaluate(theta - h * Vector::Unit(4, k), behind, nullptr).ok());
        REQUIRE(J.col(k).norm() > 1);
        CHECK(((ahead - behind) / (2 * h) - J.col(k)).norm() < 1e-6 * J.col(k).norm());
      }
      // By products, also of the transpose.
      std::unique_ptr<Linearization> at;
      REQUIRE(residual.linearize(theta, at).ok());
      const Vector d{{1, -0.5, 0.3, 0.7}}, w = Vector::LinSpaced(r.size(), -1, 2);
      Vector Jd, Jtw;
      REQUIRE(at->jvp(d, Jd).ok());
      REQUIRE(at->vjp(w, Jtw).ok());
      CHECK((at->residual() - r).norm() < 1e-9 * r.norm());
      CHECK((Jd - J * d).norm() < 1e-9 * Jd.norm());
      CHECK((Jtw - J.transpose() * w).norm() < 1e-8 * (J.cwiseAbs().transpose() * w.cwiseAbs()).norm());
    }
}

TEST_CASE("switched field: later by δ, all that follows is displaced by the speed of the field times δ",
          "[optim][switched_field]") {
  // Exact, also where the switch lies between steps: a derivative that knew only the nearest step would jump.
  const double sigma = micron;
  for (const double shift : {0.0, 0.004, 0.011, 0.0163}) {
    Drop moved = true_drop;
    moved.times.array() += shift;
    const ResolvedFit resolved(test::drop_problem(test::film_drop(test::make_drop(moved), 100, sigma, 0, 1), moved));
    Vector r;
    Eigen::MatrixXd J;
    const TrajectoryResidual& residual = resolved.residual().trajectories();
    const Vector theta = residual.map().initial();
    REQUIRE(residual.evaluate(theta, r, &J).ok());
    const diff::Scenario drop = test::make_drop(moved);
    const double speed = true_drop.charge * 2e4 / sim::drag_coefficients(drop.model)[0];
    const Vector slope = resolved.map().physical_derivative(theta);
    const double last = J(J.rows() - 1, 2) / slope[2] * sigma, last_off = J(J.rows() - 1, 3) / slope[3] * sigma;
    CHECK(last == Approx(-speed).epsilon(0.01));
    CHECK(last_off == Approx(speed).epsilon(0.01));
  }
}

TEST_CASE("switched field: a fit finds charge, radius and switch times, with errors that are true",
          "[optim][switched_field][coverage]") {
  check_coverage(fit_films(12, 0), 3.5);
}

TEST_CASE("switched field: of 200 films the intervals of each value hold 95 %",
          "[optim][switched_field][coverage][nightly]") {
  check_coverage(fit_films(200, 0), 3);
}

TEST_CASE("brownian: a fit finds charge, radius and switch times of a diffusing drop, with errors that are true",
          "[optim][brownian][coverage]") {
  check_coverage(fit_films(8, test::room_heat), 3.5);
}

TEST_CASE("brownian: of 200 films with diffusion the intervals of each value hold 95 %",
          "[optim][brownian][coverage][nightly]") {
  check_coverage(fit_films(200, test::room_heat), 3);
}

TEST_CASE("brownian: whitening is that by the Cholesky factor of σ² δ + 2D min(t, t′)", "[optim][brownian]") {
  const Index n = 9;
  const double rate = 0.7;
  const Vector t{{0.1, 0.2, 0.5, 0.6, 0.9, 1.4, 1.5, 2.0, 2.6}}, sigma{{0.3, 0.2, 0.3, 1.1, 0.3, 0.4, 0.3, 0.1, 0.3}};
  Eigen::MatrixXd V(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) V(i, j) = rate * std::min(t[i], t[j]) + (i == j ? sigma[i] * sigma[i] : 0);
  WalkWhitening whitening;
  std::vector<WalkWhitening::Reading> readings;
  for (Index i = 0; i < n; ++i) readings.push_back({n - 1 - i, t[i], sigma[i]});  // rows in another order
  whitening.add(readings, rate);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd e(n, 2), rows(n, 2);
  for (double& x : e.reshaped()) x = normal(random);
  for (Index i = 0; i < n; ++i) rows.row(n - 1 - i) = e.row(i) / sigma[i];
  const Eigen::MatrixXd scaled = rows, expected = V.llt().matrixL().solve(e);
  whitening.apply(rows);
  for (Index i = 0; i < n; ++i) CHECK((rows.row(n - 1 - i) - expected.row(i)).norm() < 1e-13 * expected.norm());
  Vector w(n);
  for (double& x : w) x = normal(random);
  Vector back = w;
  whitening.apply_transposed(back);
  CHECK(back.dot(scaled.col(0)) == Approx(w.dot(rows.col(0))).epsilon(1e-12));
  REQUIRE((rows - scaled).norm() > 0.1 * scaled.norm());
}

TEST_CASE("brownian: a fit repeats itself until the diffusion is that of its radius", "[optim][brownian]") {
  Drop small = true_drop;
  small.radius = 400e-9;  // half as much drag: the start supposes half again as much diffusion
  const diff::Scenario drop = test::make_drop(true_drop);
  const Observation film = test::film_drop(drop, 100, micron, test::room_heat, 5);
  const FitReport far = fit(test::drop_problem(film, small)), near = fit(test::drop_problem(film, true_drop));
  for (Index k = 0; k < 4; ++k) {
    const FittedParameter &a = far.estimates.parameters[k], &b = near.estimates.parameters[k];
    CHECK(std::abs(a.estimate - b.estimate) < 0.02 * b.standard_error);
    CHECK(a.standard_error == Approx(b.standard_error).epsilon(0.01));
  }
}

TEST_CASE("brownian: a diagnosis weighs readings as the fit does, whatever the estimates are",
          "[optim][brownian][diagnosis]") {
  FitProblem problem =
      test::drop_problem(test::film_drop(test::make_drop(true_drop), 100, micron, test::room_heat, 1), start_drop);
  problem.parameters.push_back(test::shared("placement_scale"));
  const ResolvedFit resolved(problem);
  const Vector theta = resolved.map().initial() + Vector::Constant(5, 0.1);
  REQUIRE(std::abs(resolved.map().recording_frame(theta, 0).scale() - 1) > 0.05);
  const TrajectoryResidual seen = SeenAt(resolved, theta).residual_of({}, resolved.map().scatter(theta));
  Vector r, again;
  REQUIRE(resolved.residual().trajectories().evaluate(theta, r, nullptr).ok());
  REQUIRE(seen.evaluate(Vector(), again, nullptr).ok());
  CHECK((again - r).norm() < 1e-9 * r.norm());
}

TEST_CASE("brownian: the settled fit has its diffusion written in it", "[optim][brownian]") {
  const Observation film = test::film_drop(test::make_drop(true_drop), 100, micron, test::room_heat, 5);
  const auto far = std::make_shared<const ResolvedFit>(test::drop_problem(film, start_drop));
  const FitOptimum first = find_optimum(*far);
  FitProblem there = far->problem();
  there.scenarios = far->map().scatter(first.end.theta);
  for (const bool has_settled : {true, false}) {
    const auto fit = has_settled ? std::make_shared<const ResolvedFit>(there) : far;
    const WidthFit found = settle_diffusion({fit, find_optimum(*fit)}, {});
    REQUIRE(found.fit->problem().observations[0].noise.diffusion.size() == 1);
    const Vector at_end = compute_diffusion(found.fit->map().scatter(found.optimum.end.theta)[0], film);
    CHECK(found.fit->problem().observations[0].noise.diffusion[0] == Approx(at_end[0]).epsilon(0.02));
    const auto moved = with_diffusion_at(fit, found.optimum.end.theta);
    CHECK((moved->problem().observations[0].noise.diffusion - at_end).isZero(0));
  }
}

TEST_CASE("brownian: refused where random impulses have no closed form", "[optim][brownian][error]") {
  const diff::Scenario drop = test::make_drop(true_drop);
  Observation film = test::film_drop(drop, 100, micron, test::room_heat, 1);
  CHECK(compute_diffusion(drop, film)[0] == Approx(test::room_heat / sim::drag_coefficients(drop.model)[0]));
  diff::Scenario body = test::make_body("body");
  Observation seen = test::record(body, 5, 1e-3, 1);
  seen.noise.thermal_energy = test::room_heat;
  CHECK(contains(complaint([&] { compute_diffusion(body, seen); }),
                 "must be of particles that drift freely, got the "
                 "force spring"));
  film.markers.front().vertices = {{0, 0.5}};
  CHECK(contains(complaint([&] { compute_diffusion(drop, film); }), "markers that follow one particle each"));
}
