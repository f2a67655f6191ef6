#include "optim/uncertainty/whiteness.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "optim/fit.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::complaint;
using pithball::test::contains;
using pithball::test::make_body;

namespace {

/// One marker that only its x is seen of, in `frames` frames; those listed are missing.
Observation watched_x(Index frames, const std::vector<Index>& missing = {}) {
  Observation o;
  o.markers = {{"m", {{1, 1.0}}}};
  o.noise.sigma = sim::Vector::Constant(1, 1e-3);
  for (Index f = 0; f < frames; ++f) {
    const bool gone = std::find(missing.begin(), missing.end(), f) != missing.end();
    o.times.push_back(1e-4 * f);
    o.positions.push_back(sim::Vec3(gone ? NAN : 0.1, NAN, NAN));
  }
  return o;
}

Whiteness whiteness_of(const sim::Vector& r, const std::vector<Index>& missing = {}) {
  const auto frames = r.size() + static_cast<Index>(missing.size());
  return compute_whiteness({make_body("a")}, {watched_x(frames, missing)}, r).at(0).all;
}

/// An autoregression of order 1 with variance 1.
sim::Vector autoregression(double rho, Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  sim::Vector r(n);
  double last = normal(random);
  for (double& value : r) {
    value = last;
    last = rho * last + std::sqrt(1 - rho * rho) * normal(random);
  }
  return r;
}

}  // namespace

TEST_CASE("whiteness: statistics of a written series agree with their definitions", "[optim][whiteness][reference]") {
  sim::Vector r(20);
  r << 0.5, -1.2, 0.3, 0.8, -0.4, 1.1, -0.7, 0.2, 0.9, -1.5, 0.6, 0.1, -0.3, 1.4, -0.8, 0.4, -0.2, 0.7, -1.0, 0.05;
  const Whiteness w = whiteness_of(r);
  // By a plain program from the printed formulas (Python); the tail by mpmath's incomplete gamma function.
  CHECK(w.samples == 20);
  CHECK(w.degrees == 4);
  CHECK(w.ljung_box == Approx(14.37751851409068).epsilon(1e-12));
  CHECK(w.durbin_watson == Approx(3.175973624562127).epsilon(1e-12));
  CHECK(chi_square_tail(w.ljung_box, 4) == Approx(0.00618272067619255).epsilon(1e-12));
  CHECK(w.p_value == Approx(chi_square_tail(4 + (w.ljung_box - 4) / std::sqrt(1 + 1.4 * 4 / 20), 4)).epsilon(1e-12));
  CHECK(w.lag_1 < -0.5);
  CHECK(w.effective_samples == 20);  // anticorrelation is not taken for more samples
  CHECK_FALSE(w.is_colored());       // p is above 1e-3
  CHECK(chi_square_tail(300, 200) == Approx(5.92454033548392e-6).epsilon(1e-10));
  CHECK(chi_square_tail(5, 2) == Approx(std::exp(-2.5)).epsilon(1e-14));
  CHECK(chi_square_tail(0, 2) == 1);
  CHECK(chi_square_tail(5000, 10) < 1e-300);
  // Upper 5 % points of the tables, Abramowitz & Stegun 26.8, with the digits of mpmath.
  CHECK(chi_square_tail(3.841458820694124, 1) == Approx(0.05).epsilon(1e-12));
  CHECK(chi_square_tail(7.814727903251179, 3) == Approx(0.05).epsilon(1e-12));
  CHECK(chi_square_tail(11.070497693516351, 5) == Approx(0.05).epsilon(1e-12));
  CHECK(contains(complaint([] { chi_square_tail(1, 0); }), "at least one degree"));
}

TEST_CASE("whiteness: white residuals are found colored as often as promised, gaps or not", "[optim][whiteness]") {
  std::vector<Index> gaps;
  for (Index f = 0; f < 140; ++f)
    if (f % 7 == 3 || (f > 60 && f < 70)) gaps.push_back(f);
  for (const std::vector<Index>& missing : {std::vector<Index>{}, gaps}) {
    int small = 0;
    for (unsigned seed = 1; seed <= 400; ++seed) {
      const Whiteness w = whiteness_of(autoregression(0, 140 - static_cast<Index>(missing.size()), seed), missing);
      CHECK(w.degrees == 10);
      CHECK(w.durbin_watson == Approx(2).margin(1));  // 5 standard deviations of 2/√n
      if (w.p_value < 0.05) ++small;
    }
    INFO(missing.size() << " frames missing");
    // 5 % of 400 with a binomial standard deviation of 4.4, and the χ² form holds to about a percent at this n.
    CHECK(small > 20 - 13);
    CHECK(small < 20 + 17);
  }
}

TEST_CASE("whiteness: what a smooth fit removes from white noise is no color", "[optim][whiteness]") {
  // Six harmonics' amplitudes are fitted to white noise: what is left is anticorrelated, ρ_k ≈ −6/n.
  const Index n = 60, fitted = 6;
  Eigen::MatrixXd waves(n, fitted);
  for (Index t = 0; t < n; ++t)
    for (Index c = 0; c < fitted; ++c) {
      const double angle = 2 * M_PI * static_cast<double>((c / 2 + 1) * t) / static_cast<double>(n);
      waves(t, c) = std::sqrt(2 / static_cast<double>(n)) * (c % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  constexpr int repetitions = 400;
  int alarms = 0, alarms_in_color = 0, small = 0;
  for (unsigned seed = 1; seed <= repetitions; ++seed) {
    const auto judge = [&](double rho) {
      sim::Vector r = autoregression(rho, n, seed);
      r -= waves * (waves.transpose() * r).eval();
      return compute_whiteness({make_body("a")}, {watched_x(n)}, r, {{.alone = fitted, .acting = fitted}}).at(0).all;
    };
    const Whiteness white = judge(0);
    alarms += white.is_colored();
    small += white.p_value < 0.05;
    alarms_in_color += judge(-0.8).is_colored();
  }
  // At p = 1e-3 more than 3 of 400 come by chance once in 1,000; six degrees fewer instead would give about 5 (measured
  // in 3,000 series). At p = 0.05 at most 20 + 4 √19 by chance.
  CHECK(alarms <= 3);
  CHECK(small < 38);
  CHECK(alarms_in_color > 0.9 * repetitions);
}

TEST_CASE("whiteness: of an autoregression it finds the correlation and what the mean of it is worth",
          "[optim][whiteness]") {
  const Index n = 4000;
  const double rho = 0.6;
  const Whiteness w = whiteness_of(autoregression(rho, n, 5));
  CHECK(w.lag_1 == Approx(rho).margin(4 * std::sqrt((1 - rho * rho) / static_cast<double>(n))));
  CHECK(w.durbin_watson == Approx(2 * (1 - w.lag_1)).margin(2e-3));  // but for the ends of the series
  CHECK(w.is_colored());
  CHECK(w.p_value < 1e-100);
  // The error of the mean over repetitions, against what white residuals would have: √(n/n_eff).
  double square = 0;
  constexpr int repetitions = 300;
  for (unsigned seed = 10; seed < 10 + repetitions; ++seed)
    square += std::pow(autoregression(rho, 400, seed).mean(), 2) * 400;
  CHECK(std::sqrt(square / repetitions) ==
        Approx(std::sqrt((1 + rho) / (1 - rho))).epsilon(3 / std::sqrt(2.0 * repetitions)));
  CHECK(w.error_factor() == Approx(std::sqrt((1 + rho) / (1 - rho))).epsilon(0.06));
}

TEST_CASE("whiteness: a fit by the right model is white, by a wrong one it says that errors are too small",
          "[optim][whiteness][fit]") {
  const diff::Scenario truth = make_body("a");
  FitProblem problem;
  problem.scenarios = {truth};
  problem.observations = {test::record(truth, 1, 2e-3, 12)};
  Parameter stiffness = test::shared("stiffness", 0.9);
  stiffness.factor = true;
  problem.parameters = {stiffness};
  const auto warns = [](const FitReport& report) {
    for (const std::string& note : report.notes)
      if (contains(note, "residuals are not independent")) return true;
    return false;
  };
  const FitReport right = fit(problem);
  REQUIRE(right.goodness.whiteness.size() == 1);
  REQUIRE(right.goodness.whiteness[0].markers.size() == 4);
  CHECK(right.goodness.whiteness[0].all.samples == 51 * 4 * 3);
  CHECK(right.goodness.whiteness[0].markers[2].samples == 51 * 3);
  CHECK(right.goodness.whiteness[0].all.p_value > 0.01);
  CHECK_FALSE(warns(right));
  test::BodyOptions other;
  other.charge = 7e-6;  // held, and wrong
  problem.scenarios = {make_body("a", other)};
  const FitReport wrong = fit(problem);
  CHECK(wrong.goodness.whiteness[0].all.is_colored());
  CHECK(warns(wrong));
  CHECK(contains(wrong.goodness.whiteness[0].warnings().at(0),
                 "a: residuals are not independent from frame to frame (lag-1"));

  CHECK(contains(complaint([&] { compute_whiteness(problem.scenarios, problem.observations, sim::Vector::Ones(5)); }),
                 "one entry for each observed coordinate"));
}
