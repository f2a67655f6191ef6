// Tests of values that a fit holds, on linear problems: each against the fit that has them, and false alarms against
// their probability.

#include "optim/diagnosis/score_test.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <numeric>
#include <random>

#include "optim/diagnosis/candidate.hpp"
#include "optim/diagnosis/lacking.hpp"
#include "optim/uncertainty/parameter_errors.hpp"
#include "optim/uncertainty/significance.hpp"
#include "tests/optim/linear_fit.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;
using pithball::test::make_noise;
using pithball::test::make_order;
using pithball::test::solve;
using pithball::test::swinging;
using pithball::test::two_names;

namespace {

constexpr Index tested_frames = 60, tested_series = 6;

/// A fit of two values to noise, at its end.
struct TestedFit {
  FitRows fit;
  Scores scores;
  AllErrors errors;

  explicit TestedFit(std::mt19937_64& random, double rho = 0, double common = 0, const Vector& lacking = {}) {
    fit.order = make_order(1, tested_frames, tested_series);
    fit.J = swinging(tested_frames, tested_series);
    fit.prior_J.resize(0, 2);
    Vector seen = make_noise(random, tested_frames, tested_series, rho, common);
    if (lacking.size() > 0) seen += lacking;
    solve(fit, seen);
    judge();
  }
  void judge() {
    scores = compute_scores(fit);
    errors = compute_all_errors(fit, scores, two_names);
  }
  ScoreTester tester() const { return {fit, scores, errors.posterior}; }
};

/// A third value: a drift of every series, partly explained by the two others.
Eigen::MatrixXd drift() {
  Eigen::MatrixXd column(tested_frames * tested_series, 1);
  for (Index f = 0; f < tested_frames; ++f)
    for (Index s = 0; s < tested_series; ++s)
      column(f * tested_series + s, 0) =
          std::pow(static_cast<double>(f) / tested_frames, 2) * (1 + 0.3 * static_cast<double>(s));
  return column + 0.5 * swinging(tested_frames, tested_series).rowwise().sum();
}

}  // namespace

TEST_CASE("tail probability: equal to SciPy's, however small", "[optim][diagnosis][reference]") {
  // 2*scipy.stats.t.sf(x, n) and scipy.stats.f.sf(x, q, n), SciPy 1.14
  CHECK(f_tail(4, 1, 3) == Approx(0.139325968559).epsilon(1e-11));
  CHECK(f_tail(100, 1, 32) == Approx(2.26712369268e-11).epsilon(1e-11));
  CHECK(f_tail(1600, 1, 500) == Approx(6.29064291826e-158).epsilon(1e-9));  // its exponent is 361 times as large
  CHECK(f_tail(3, 3, 40) == Approx(0.0417458213353).epsilon(1e-11));
  CHECK(f_tail(60, 3, 4000) == Approx(6.16467899658e-38).epsilon(1e-10));
  CHECK(f_tail(0, 1, 5) == 1);
}

TEST_CASE("many tests: p-values of Benjamini and Hochberg's example by Holm", "[optim][diagnosis][reference]") {
  // Table of Benjamini & Hochberg 1995, section 3.2: at 0.05 the first three of fifteen are left by Bonferroni and
  // Holm.
  const std::vector<double> p{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                              0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
  const std::vector<double> adjusted = adjust_for_number(p);
  for (std::size_t k = 0; k < p.size(); ++k) CHECK((adjusted[k] <= 0.05) == (k < 3));
  CHECK(adjusted[0] == Approx(0.0015).epsilon(1e-12));
  CHECK(adjusted[3] == Approx(0.0095 * 12).epsilon(1e-12));
  CHECK(adjusted[7] == Approx(0.0278 * 10).epsilon(1e-12));  // not below that of a smaller p
  CHECK(adjusted[8] == Approx(0.0459 * 7).epsilon(1e-12));
  CHECK(adjusted[9] == 1);
}

TEST_CASE("score test: gain, value and share are those of the fit that has the value", "[optim][diagnosis]") {
  std::mt19937_64 random(3);
  TestedFit c(random);
  const Eigen::MatrixXd G = drift();
  const ScoreTest test = c.tester().test(G, false);
  FitRows larger = c.fit;
  larger.J.resize(c.fit.J.rows(), 3);
  larger.J << c.fit.J, G;
  larger.prior_J.resize(0, 3);
  const Vector step = solve(larger, c.fit.r);
  // The problem is linear: only rounding separates the step from the fit.
  CHECK(test.shift[0] == Approx(step[2]).epsilon(1e-10));
  CHECK(test.gain == Approx(c.fit.r.squaredNorm() - larger.r.squaredNorm()).epsilon(1e-9));
  const Eigen::MatrixXd projected = G - c.fit.J * (c.fit.J.transpose() * c.fit.J).ldlt().solve(c.fit.J.transpose() * G);
  REQUIRE(test.share < 0.95);
  CHECK(test.share == Approx(projected.squaredNorm() / G.squaredNorm()).epsilon(1e-10));
  const ScoreTester tester = c.tester();
  CHECK(G.col(0).dot(tester.score_seed()) / c.errors.posterior.data_scale ==
        Approx(projected.col(0).dot(c.fit.r) / std::pow(c.errors.posterior.data_scale, 3)).epsilon(1e-8));
}

TEST_CASE("trial fit: a step of a linear problem confirms the predicted gain, also half of it", "[optim][diagnosis]") {
  std::mt19937_64 random(7);
  TestedFit c(random);
  const Eigen::MatrixXd G = drift();
  const ScoreTester tester = c.tester();
  const ScoreTest test = tester.test(G, false);
  FitRows larger = c.fit;
  larger.J.resize(c.fit.J.rows(), 3);
  larger.J << c.fit.J, G;
  larger.prior_J.resize(0, 3);
  const Vector step = solve(larger, c.fit.r);
  const auto run = [&](const TrialFit& trial) -> Vector {
    return c.fit.r + c.fit.J * trial.fitted_step() + G * trial.beta();
  };
  for (const bool half : {false, true}) {
    TrialFit trial(tester, G);
    CHECK((trial.fitted_step() - step.head(2)).norm() < 1e-9 * step.norm());
    CHECK(trial.beta()[0] == Approx(test.shift[0]).epsilon(1e-9));
    if (half) trial.take_failure();
    trial.take(run(trial));
    CHECK(trial.gain() == Approx(test.gain).epsilon(1e-9));
  }
  // What neither explains is lost.
  Vector bump = Vector::Zero(c.fit.r.size());
  bump[17] = 3 * c.errors.posterior.data_scale;
  TrialFit trial(tester, G);
  trial.take(run(trial) + bump);
  CHECK(trial.gain() != Approx(test.gain).epsilon(1e-3));
}

TEST_CASE("candidate: a step leaves a positive value positive", "[optim][diagnosis]") {
  Candidate stiffness, drag;
  stiffness.held = drag.held = Vector::Constant(1, 12);
  stiffness.is_positive = true;
  CHECK(stiffness.stepped(Vector::Constant(1, -13.5))[0] == Approx(1 / (1 / 12.0 + 13.5 / 144)).epsilon(1e-14));
  CHECK(stiffness.stepped(Vector::Constant(1, 240))[0] == Approx(252).epsilon(1e-14));
  CHECK(stiffness.stepped(Vector::Constant(1, -1e-6))[0] == Approx(12 - 1e-6).epsilon(1e-12));
  CHECK(drag.stepped(Vector::Constant(1, -13.5))[0] == Approx(-1.5).epsilon(1e-14));
}

TEST_CASE("score test: the unit of the value changes nothing but the unit", "[optim][diagnosis]") {
  std::mt19937_64 random(4);
  TestedFit c(random);
  const ScoreTest meters = c.tester().test(drift(), false), nanometers = c.tester().test(1e-9 * drift(), false);
  CHECK(nanometers.p == Approx(meters.p).epsilon(1e-9));
  CHECK(nanometers.gain == Approx(meters.gain).epsilon(1e-9));
  CHECK(nanometers.shift[0] == Approx(1e9 * meters.shift[0]).epsilon(1e-9));
}

TEST_CASE("score test: what the fitted values explain is not tested", "[optim][diagnosis]") {
  std::mt19937_64 random(5);
  TestedFit c(random);
  CHECK(std::isnan(c.tester().test(2 * c.fit.J.col(0) - 3 * c.fit.J.col(1), false).p));
  CHECK(std::isnan(c.tester().test(Eigen::MatrixXd::Zero(tested_frames * tested_series, 1), false).p));
  ScoreTester tester = c.tester();
  tester.take(drift());
  CHECK(std::isnan(tester.test(drift(), false).p));
}

TEST_CASE("score test: p is uniform where nothing is missing, for noise of every kind",
          "[optim][diagnosis][coverage]") {
  std::mt19937_64 random(6);
  constexpr int draws = 400;
  for (const auto& [rho, common] : {std::pair{0.0, 0.0}, std::pair{0.6, 0.0}, std::pair{0.0, 0.5}}) {
    CAPTURE(rho, common);
    int below_tenth = 0, below_hundredth = 0, one_sided = 0;
    for (int k = 0; k < draws; ++k) {
      TestedFit c(random, rho, common);
      const double p = c.tester().test(drift(), false).p;
      below_tenth += p < 0.1 ? 1 : 0;
      below_hundredth += p < 0.01 ? 1 : 0;
      one_sided += c.tester().test(drift(), true).p < 0.1 ? 1 : 0;
    }
    // Expected 40, 4 and 40 of 400, fewer where the larger of two variances is used; each limit is passed by chance
    // less than once in 1,000 times.
    CHECK(below_tenth <= 60);
    CHECK(one_sided <= 60);
    CHECK(below_hundredth <= 12);
    if (rho == 0 && common == 0) CHECK(below_tenth >= 12);
  }
}

TEST_CASE("score test: probes estimate what exact derivatives say", "[optim][diagnosis]") {
  std::mt19937_64 random(7);
  TestedFit c(random);
  const ScoreTester tester = c.tester();
  const Eigen::MatrixXd G = drift();
  std::normal_distribution<double> normal;
  constexpr Index probes = 2000;
  double information = 0;
  for (Index n = 0; n < probes; ++n) {
    Vector v(tester.all_rows());
    for (double& x : v) x = normal(random);
    information += std::pow(G.col(0).dot(tester.probe_seed(v)), 2) / probes;
  }
  const ScoreTest exact = tester.test(G, false);
  const ScoreTest estimate = tester.estimate(G.col(0).dot(tester.score_seed()), information, probes, false);
  CHECK(estimate.shift[0] == Approx(exact.shift[0]).epsilon(0.13));  // 4 √(2/2000)
  CHECK(estimate.gain == Approx(exact.gain).epsilon(0.13));
}

TEST_CASE("score test: a column with few rows is screened by the same score and information, and raises no more alarms",
          "[optim][diagnosis]") {
  std::mt19937_64 random(11);
  Vector g = Vector::Zero(tested_frames * tested_series);
  for (Index f = 0; f < tested_frames; ++f) g[f * tested_series + 2] = 1 + 0.1 * static_cast<double>(f % 7);
  const Eigen::SparseVector<double> few = g.sparseView();
  constexpr int fits = 400;
  int alarms = 0;
  for (int k = 0; k < fits; ++k) {
    const TestedFit tested(random);
    const ScoreTest exact = tested.tester().test(g, false), screened = tested.tester().screen(few, false);
    CHECK(screened.gain == Approx(exact.gain).epsilon(1e-8));
    CHECK(screened.shift[0] == Approx(exact.shift[0]).epsilon(1e-8));
    CHECK(screened.share == Approx(exact.share).epsilon(1e-8));
    alarms += screened.p < 0.05;
  }
  CHECK(alarms < 0.05 * fits + 4 * std::sqrt(0.05 * 0.95 * fits));
  CHECK(alarms > 0.05 * fits - 4 * std::sqrt(0.05 * 0.95 * fits));

  std::mt19937_64 again(12);
  const TestedFit tested(again);
  const Vector explained = swinging(tested_frames, tested_series).col(0);
  CHECK(std::isnan(tested.tester().screen(Eigen::SparseVector<double>(explained.sparseView()), false).p));
}

TEST_CASE("score test: a prior leaves of the information what the formula says", "[optim][diagnosis]") {
  std::mt19937_64 random(8);
  TestedFit c(random);
  c.fit.prior = Vector::Zero(1);
  c.fit.prior_J.resize(1, 2);
  c.fit.prior_J << 40, 0;
  solve(c.fit, make_noise(random, tested_frames, tested_series, 0, 0));
  c.judge();
  const Eigen::MatrixXd G = drift();
  const double tau = c.errors.posterior.data_scale;
  const Eigen::MatrixXd H = c.fit.J.transpose() * c.fit.J / (tau * tau) + c.fit.prior_J.transpose() * c.fit.prior_J;
  const Vector across = c.fit.J.transpose() * G.col(0) / (tau * tau);
  const double information = G.squaredNorm() / (tau * tau) - across.dot(H.ldlt().solve(across));
  const ScoreTest test = c.tester().test(G, false);
  CHECK(test.share * G.squaredNorm() / (tau * tau) == Approx(information).epsilon(1e-9));
}

TEST_CASE("trial fit: a few runs find the least chi-square of a value whose effect is curved, in any unit",
          "[optim][diagnosis]") {
  // The effect of β on the rows is drift·(β − β²/4): at the true β = 1 a quarter less than linear.
  const double unit = GENERATE(1.0, 1e6);
  const auto effect = [&](double beta) { return beta / unit - std::pow(beta / unit, 2) / 4; };
  std::mt19937_64 random(4);
  const Vector column = 30 * drift();
  TestedFit c(random, 0, 0, -column * effect(unit));
  const ScoreTester tester = c.tester();
  const Eigen::MatrixXd G = column / unit;
  const double most = tester.test(G, false).gain;  // the effect takes any size: what is linear reaches the least, too
  TrialFit trial(tester, G);
  CHECK(trial.gain() == Approx(most).epsilon(1e-9));
  CHECK(trial.beta()[0] / unit == Approx(0.75).epsilon(0.01));
  double after_one = 0;
  for (int run = 0; run < 4; ++run) {
    trial.take(c.fit.r + c.fit.J * trial.fitted_step() + column * effect(trial.beta()[0]));
    if (run == 0) after_one = trial.beta()[0] / unit;
  }
  CHECK(after_one == Approx(1).epsilon(0.1));
  CHECK(trial.beta()[0] / unit == Approx(1).epsilon(0.01));
  CHECK(trial.gain() == Approx(most).epsilon(1e-6));
  CHECK(trial.is_settled());
  // A run that fails: the next goes half as far, and what the step promises is unchanged; a second failure is final.
  TrialFit failing(tester, G);
  const double first = failing.beta()[0];
  failing.take_failure();
  CHECK(failing.beta()[0] == Approx(first / 2).epsilon(1e-12));
  CHECK(failing.gain() == Approx(most).epsilon(1e-9));
  failing.take_failure();
  CHECK(failing.gain() < -1e300);
}

TEST_CASE("trial fit: a step that is too long is shortened until the least chi-square is found", "[optim][diagnosis]") {
  // The effect grows as sinh(4β)/4: the first step, of 1 + …, overshoots by far.
  const double truth = 0.8;
  const auto effect = [](double beta) { return std::sinh(4 * beta) / 4; };
  std::mt19937_64 random(4);
  const Vector column = 30 * drift();
  TestedFit c(random, 0, 0, -column * effect(truth));
  const ScoreTester tester = c.tester();
  const Eigen::MatrixXd G = column;
  const double most = tester.test(G, false).gain;
  TrialFit trial(tester, G);
  REQUIRE(trial.beta()[0] > 2 * truth);
  int runs = 0;
  double worst = most;
  while (runs < 13 && (runs == 0 || !trial.is_settled())) {
    trial.take(c.fit.r + c.fit.J * trial.fitted_step() + column * effect(trial.beta()[0]));
    worst = std::min(worst, trial.gain());
    ++runs;
  }
  INFO(runs << " runs");
  CHECK(trial.is_settled());
  CHECK(worst >= 0);  // what is promised while a step is too long is what was reached
  CHECK(trial.gain() > 0.9 * most);
}
