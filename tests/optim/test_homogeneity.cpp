// Whether recordings agree on the values that they share, on linear problems and on a ball on a spring.

#include "optim/uncertainty/homogeneity.hpp"

#include <Eigen/LU>

#include <cmath>

#include "optim/fit.hpp"
#include "optim/uncertainty/parameter_errors.hpp"
#include "optim/uncertainty/significance.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/linear_fit.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::make_noise;
using pithball::test::make_order;
using pithball::test::solve;
using pithball::test::swinging;

namespace {

/// Recordings of one swing that share two values, each with so many values of its own.
struct Swings {
  Index recordings, frames, series = 9, own = 0;
  double unit = 1;  ///< of all values

  Index rows() const { return frames * series; }
  std::vector<std::string> names() const {
    std::vector<std::string> all{"a", "b"};
    for (Index k = 0; k < recordings * own; ++k) all.push_back("own" + std::to_string(k));
    return all;
  }
  FitRows fit() const {
    FitRows fit;
    fit.order = make_order(recordings, frames, series);
    fit.J.setZero(recordings * rows(), 2 + recordings * own);
    fit.prior_J.resize(0, fit.J.cols());
    for (Index g = 0; g < recordings; ++g) {
      fit.J.block(g * rows(), 0, rows(), 2) = swinging(frames, series);
      for (Index f = 0; f < frames; ++f)
        for (Index s = 0; s < series; ++s)
          for (Index i = 0; i < own; ++i) {
            const double phase =
                (3.0 + 4.0 * static_cast<double>(i / 2)) * static_cast<double>(f) / static_cast<double>(frames);
            fit.J(g * rows() + f * series + s, 2 + g * own + i) =
                (i % 2 == 0 ? std::cos(phase) : std::sin(phase)) * std::cos(static_cast<double>(1 + i + s * (i + 2)));
          }
    }
    fit.J /= unit;
    return fit;
  }
  /// Noise of every recording by itself.
  Vector noise(std::mt19937_64& random, double rho, double common) const {
    Vector all(recordings * rows());
    for (Index g = 0; g < recordings; ++g)
      all.segment(g * rows(), rows()) = make_noise(random, frames, series, rho, common);
    return all;
  }
};

Homogeneity compare(const FitRows& fit, const std::vector<std::string>& names) {
  const Scores scores = compute_scores(fit);
  return compare_recordings(fit, scores, compute_posterior(fit, scores, names));
}

/// Number of draws in which recordings of the same values contradict each other.
int count_contradictions(const Swings& swings, double rho, double common, int draws) {
  std::mt19937_64 random(21);
  FitRows fit = swings.fit();
  int alarms = 0;
  for (int draw = 0; draw < draws; ++draw) {
    solve(fit, swings.noise(random, rho, common));
    alarms += compare(fit, swings.names()).p_value < 1e-3 ? 1 : 0;
  }
  return alarms;
}

struct Coverage {
  int held = 0, named = 0;
};

/// How often the interval of a value holds its mean, and contradictions are named, if recordings differ from the mean
/// by these multiples of the standard error from one recording; drawn from a normal distribution if there are none.
Coverage count_coverage(const Swings& swings, const std::vector<double>& away, double spread, int draws) {
  std::mt19937_64 random(22);
  std::normal_distribution<double> normal;
  FitRows fit = swings.fit();
  const double error =
      std::sqrt((fit.J.topRows(swings.rows()).leftCols(2).transpose() * fit.J.topRows(swings.rows()).leftCols(2))
                    .inverse()(0, 0));
  Coverage counted;
  for (int draw = 0; draw < draws; ++draw) {
    Vector noise = swings.noise(random, 0, 0);
    for (Index g = 0; g < swings.recordings; ++g)
      noise.segment(g * swings.rows(), swings.rows()) -= fit.J.col(0).segment(g * swings.rows(), swings.rows()) *
                                                         error * spread * (away.empty() ? normal(random) : away[g]);
    const Vector theta = solve(fit, noise);
    const AllErrors errors = compute_all_errors(fit, compute_scores(fit), swings.names());
    counted.held += std::abs(theta[0]) <= errors.parameters[0].half_width ? 1 : 0;
    counted.named += errors.homogeneity.p_value < 1e-3 && errors.homogeneity.worst_parameter == 0 ? 1 : 0;
  }
  return counted;
}

}  // namespace

TEST_CASE("homogeneity: the test of equal values is Welch's for one value", "[optim][uncertainty][reference]") {
  const auto one = [](double y, double v, double degrees) {
    return ComparedEstimate{Vector::Constant(1, y), Eigen::MatrixXd::Constant(1, 1, v), degrees};
  };
  // Two: t² with Satterthwaite's degrees, (v₁ + v₂)²/(v₁²/ν₁ + v₂²/ν₂) = 9/(1/5 + 4/8) = 12.857; P(|t| > 2.5) of it.
  const double t = 2.5;
  const double p = test_equality({one(0, 1, 5), one(t * std::sqrt(3.0), 2, 8)});
  CHECK(p == Approx(0.0268).epsilon(0.01));
  // The unit of the values does not matter.
  CHECK(test_equality({one(0, 1e-6, 5), one(1e-3 * t * std::sqrt(3.0), 2e-6, 8)}) == Approx(p).epsilon(1e-9));
  CHECK(test_equality({one(0, 1e6, 5), one(1e3 * t * std::sqrt(3.0), 2e6, 8)}) == Approx(p).epsilon(1e-9));
}

TEST_CASE("homogeneity: the test of equal values is false as often as it says", "[optim][uncertainty][coverage]") {
  // Two values, four sources with variances from 6 to 20 degrees of freedom: 4,000 draws. At 5 % 200 are expected, with
  // a deviation of 14.
  std::mt19937_64 random(20);
  std::normal_distribution<double> normal;
  int alarms = 0;
  for (int draw = 0; draw < 4000; ++draw) {
    std::vector<ComparedEstimate> all;
    for (const int degrees : {6, 10, 15, 20}) {
      const double size = 1 + degrees;
      ComparedEstimate one{Vector(2), Eigen::MatrixXd::Zero(2, 2), static_cast<double>(degrees)};
      one.y << size * normal(random), size * normal(random);
      for (int n = 0; n < degrees; ++n) {
        const Eigen::Vector2d z(size * normal(random), size * normal(random));
        one.V += z * z.transpose() / degrees;
      }
      all.push_back(one);
    }
    alarms += test_equality(all) < 0.05 ? 1 : 0;
  }
  CHECK(alarms > 140);
  CHECK(alarms < 280);
}

TEST_CASE("homogeneity: the variance between estimates solves its equation", "[optim][uncertainty][reference]") {
  for (const double unit : {1e-3, 1.0, 1e3}) {
    std::vector<ComparedEstimate> all;
    for (const auto& [y, v] : {std::pair{1.0, 0.1}, {3.0, 0.2}, {2.5, 0.4}, {7.0, 0.3}})
      all.push_back({Vector::Constant(1, unit * y), Eigen::MatrixXd::Constant(1, 1, unit * unit * v), 10});
    const double tau_square = between_variance(all);
    double weights = 0, mean = 0, Q = 0;
    for (const ComparedEstimate& one : all) {
      weights += 1 / (one.V(0, 0) + tau_square);
      mean += one.y[0] / (one.V(0, 0) + tau_square);
    }
    for (const ComparedEstimate& one : all) Q += std::pow(one.y[0] - mean / weights, 2) / (one.V(0, 0) + tau_square);
    CHECK(tau_square > 0);
    CHECK(Q == Approx(3.0).epsilon(1e-9));
    all.resize(1);
    all.push_back(all.front());
    CHECK(between_variance(all) == 0);  // they agree
  }
}

TEST_CASE("homogeneity: estimates from one recording are those of its own fit, and own values do not matter",
          "[optim][uncertainty][reference]") {
  for (const double unit : {1e-3, 1.0, 1e3}) {
    const Swings swings{.recordings = 3, .frames = 12, .own = 4, .unit = unit};
    std::mt19937_64 random(23);
    FitRows fit = swings.fit();
    // Nearly without noise, so that the filter does not matter: each has its own a.
    Vector noise = 1e-6 * swings.noise(random, 0, 0);
    for (Index g = 0; g < 3; ++g)
      noise.segment(g * swings.rows(), swings.rows()) -=
          fit.J.col(0).segment(g * swings.rows(), swings.rows()) * unit * static_cast<double>(g);
    const Vector theta = solve(fit, noise);
    const Homogeneity found = compare(fit, swings.names());
    for (Index g = 0; g < 3; ++g) {
      CHECK((theta[0] + found.shifts(0, g)) / unit == Approx(static_cast<double>(g)).margin(1e-5));
      CHECK((theta[1] + found.shifts(1, g)) / unit == Approx(0.0).margin(1e-5));
      CHECK(std::isnan(found.shifts(2, g)));
    }
    CHECK(found.p_value < 1e-12);
    CHECK(found.worst_parameter == 0);
    CHECK(found.telling[0] == 3);
    CHECK(found.telling[2] == 0);
    // τ of 0, 1, 2 is 1, and the recordings have equal weights: 1/√3.
    CHECK(found.between[0] / unit == Approx(1 / std::sqrt(3.0)).epsilon(1e-3));
    CHECK(found.named_recordings() == std::vector<Index>{0, 1, 2});
  }
}

TEST_CASE("homogeneity: a single recording, and values of one recording only, are not compared",
          "[optim][uncertainty]") {
  std::mt19937_64 random(24);
  const Swings single{.recordings = 1, .frames = 12};
  FitRows one = single.fit();
  solve(one, single.noise(random, 0, 0));
  CHECK(std::isnan(compare(one, single.names()).p_value));

  const Swings swings{.recordings = 2, .frames = 12};
  FitRows apart = swings.fit();
  apart.J.col(0).head(swings.rows()).setZero();
  apart.J.col(1).tail(swings.rows()).setZero();
  solve(apart, swings.noise(random, 0, 0));
  const Homogeneity found = compare(apart, swings.names());
  CHECK(std::isnan(found.p_value));
  CHECK(found.named_recordings().empty());
}

TEST_CASE("homogeneity: white, colored and common noise are no contradictions", "[optim][uncertainty][coverage]") {
  // 300 draws each. White: at most 1 of 1,000 is 0.3, at most 3 but for an accident in 1,000. Others: at most 5 of
  // 1,000 is 1.5, at most 6.
  for (const auto& [recordings, own] : {std::pair<Index, Index>{2, 0}, {2, 6}, {3, 0}}) {
    const Swings swings{.recordings = recordings, .frames = 16, .own = own};
    CAPTURE(recordings, own);
    CHECK(count_contradictions(swings, 0, 0, 300) <= 3);
    CHECK(count_contradictions(swings, 0, 1, 300) <= 6);
    CHECK(count_contradictions(swings, 0.5, 0, 300) <= 6);
    CHECK(count_contradictions(swings, 0.9, 0, 300) <= 6);
    CHECK(count_contradictions(swings, 0.9, 1, 300) <= 6);
  }
}

TEST_CASE("homogeneity: recordings that differ are named, and the interval holds their mean",
          "[optim][uncertainty][coverage]") {
  // 300 draws each; 93 % are 279.
  const Coverage two = count_coverage({.recordings = 2, .frames = 16}, {-1, 1}, 10, 300);
  CHECK(two.held >= 295);
  CHECK(two.named >= 285);
  const Coverage three = count_coverage({.recordings = 3, .frames = 16}, {}, 20, 300);
  INFO(three.held << " and " << three.named);
  CHECK(three.held >= 273);
  CHECK(three.named >= 285);
  // Half a standard error apart: they agree, and the interval stays as it is.
  const Coverage same = count_coverage({.recordings = 2, .frames = 16}, {}, 0, 300);
  CHECK(same.held >= 273);
  CHECK(same.named <= 2);
}

TEST_CASE("homogeneity: errors of values that are held are differences that need no other cause",
          "[optim][uncertainty]") {
  // The start of each recording is known with an error that moves its estimate by five of its standard errors.
  const Swings swings{.recordings = 2, .frames = 40};
  std::mt19937_64 random(25);
  FitRows fit = swings.fit();
  const Index n = swings.rows();
  Vector noise = swings.noise(random, 0, 0);
  const Vector start = fit.J.col(0).head(n) * 5 / fit.J.col(0).head(n).norm();
  noise.head(n) += start;
  noise.tail(n) -= start;
  solve(fit, noise);
  const Scores scores = compute_scores(fit);
  const Posterior posterior = compute_posterior(fit, scores, swings.names());
  CHECK(compare_recordings(fit, scores, posterior).p_value < 1e-3);
  const Eigen::RowVectorXd seen = start.transpose() * fit.J.topRows(n);
  const Eigen::MatrixXd held = seen.transpose() * seen;
  CHECK(compare_recordings(fit, scores, posterior, {held, held}).p_value > 0.05);
}

TEST_CASE("homogeneity: errors of held values add their part to the variance of each recording",
          "[optim][uncertainty][reference]") {
  // Scores with the covariance c JᵀJ: θ_j gets c (JᵀJ)⁻¹ more.
  const Swings swings{.recordings = 2, .frames = 40};
  std::mt19937_64 random(26);
  FitRows fit = swings.fit();
  solve(fit, swings.noise(random, 0, 0));
  const Scores scores = compute_scores(fit);
  const Posterior posterior = compute_posterior(fit, scores, swings.names());
  const Eigen::MatrixXd J = fit.J.topRows(swings.rows()), H = J.transpose() * J;
  const double c = 3;
  const Homogeneity without = compare_recordings(fit, scores, posterior),
                    with = compare_recordings(fit, scores, posterior, {c * H, c * H});
  for (Index k = 0; k < 2; ++k) {
    const double added = with.errors(k, 0) * with.errors(k, 0) - without.errors(k, 0) * without.errors(k, 0);
    CHECK(added == Approx(c * H.inverse()(k, k)).epsilon(1e-6));
  }
}

TEST_CASE("homogeneity: a value of one recording that only its prior tells from a shared one lends it that error",
          "[optim][uncertainty][reference]") {
  // In the first recording only a + own is seen, and own is known to ± 1/w from its prior: so is a. Little noise.
  for (const double unit : {1e-3, 1.0, 1e3}) {
    const Swings swings{.recordings = 2, .frames = 12, .own = 1, .unit = unit};
    std::mt19937_64 random(27);
    FitRows fit = swings.fit();
    fit.J.col(2).head(swings.rows()) = fit.J.col(0).head(swings.rows());
    const double w = 4 / unit, noise = 1e-2;
    fit.prior_J = w * Eigen::RowVectorXd::Unit(4, 2);
    fit.prior = Vector::Zero(1);
    solve(fit, noise * swings.noise(random, 0, 0), noise);
    const Homogeneity found = compare(fit, swings.names());
    CHECK(found.errors(0, 0) == Approx(1 / w).epsilon(0.01));
    CHECK(found.errors(0, 1) < 0.1 / w);
    fit.prior_J.setZero();
    CHECK(std::isnan(compare(fit, swings.names()).errors(0, 0)));
  }
}

TEST_CASE("homogeneity: the order of the markers does not matter", "[optim][uncertainty]") {
  const Swings swings{.recordings = 2, .frames = 12, .own = 2};
  std::mt19937_64 random(28);
  FitRows fit = swings.fit();
  solve(fit, swings.noise(random, 0.5, 0.5));
  FitRows turned = fit;  // the series of each frame the other way round
  for (Index row = 0; row < fit.r.size(); ++row) {
    const Index other = row - row % swings.series + (swings.series - 1 - row % swings.series);
    turned.r[row] = fit.r[other];
    turned.J.row(row) = fit.J.row(other);
  }
  const Homogeneity one = compare(fit, swings.names()), other = compare(turned, swings.names());
  for (Index k = 0; k < 2; ++k) {
    CHECK(other.p_values[k] == Approx(one.p_values[k]).epsilon(1e-6));
    CHECK(other.errors(k, 0) == Approx(one.errors(k, 0)).epsilon(1e-9));
    CHECK(other.errors(k, 1) == Approx(one.errors(k, 1)).epsilon(1e-9));
  }
}

namespace {

/// A ball on a spring of this stiffness [N/m] that swings, filmed with a noise of 1 mm.
diff::Scenario ball_on_spring(const std::string& name, double stiffness) {
  using namespace sim;
  State state{0, (Points(3, 2) << 0, 0.13, 0, 0.02, 0, 0).finished(), Points::Zero(3, 2)};
  Topology topology{2, {{0, 1}}, {{0, {}}}, {}};
  const Model model(topology, Vector::Constant(2, 0.1), Vector::Zero(2),
                    {std::make_shared<SpringForce>(Vector::Constant(1, stiffness), Vector::Constant(1, 0.1))});
  return {.name = name,
          .model = model,
          .initial = state,
          .integrator = "velocity_verlet",
          .time_step = 0.02,
          .steps = 100,
          .stage = {}};
}

FitReport fit_balls(const std::vector<double>& stiffness) {
  FitProblem problem;
  for (std::size_t j = 0; j < stiffness.size(); ++j) {
    const std::string name(1, static_cast<char>('a' + j));
    problem.observations.push_back(
        test::record(ball_on_spring(name, stiffness[j]), 2, 1e-3, 7 + static_cast<unsigned>(j)));
    problem.observations.back().noise.sigma.setConstant(1e-3);
    problem.scenarios.push_back(ball_on_spring(name, 4.1));
  }
  problem.parameters = {test::shared("stiffness")};
  return fit(problem);
}

}  // namespace

TEST_CASE("homogeneity: a fit names the values of recordings that contradict each other, and is doubtful",
          "[optim][fit][verdict]") {
  const FitReport apart = fit_balls({3.96, 4.04});
  CHECK(apart.goodness.homogeneity < 1e-3);
  INFO(apart.verdict.why);
  CHECK(apart.verdict.status == RunStatus::Doubtful);
  CHECK(apart.verdict.why.find("recordings contradict each other: stiffness is 3.9") != std::string::npos);
  CHECK(apart.verdict.why.find("in b") != std::string::npos);
  CHECK(apart.verdict.remedy.find("stiffness: {share: recording}") != std::string::npos);
  const FittedParameter& stiffness = apart.estimates.parameters[0];
  CHECK(stiffness.errors.widest == ErrorKind::RandomEffects);
  CHECK(stiffness.interval.lower < 4);
  CHECK(stiffness.interval.upper > 4);

  const FitReport same = fit_balls({4, 4});
  CHECK(same.goodness.homogeneity > 1e-3);
  CHECK(same.goodness.contradiction.empty());
  CHECK(std::isnan(same.estimates.parameters[0].errors.random_effects));
}
