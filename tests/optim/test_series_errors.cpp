// Errors from the covariance of series, on linear problems with few frames: against the formulas written out with whole
// matrices, and how often intervals hold the truth.

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <random>

#include "optim/uncertainty/parameter_errors.hpp"
#include "optim/uncertainty/robust_errors.hpp"
#include "tests/optim/linear_fit.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;
using pithball::test::make_noise;
using pithball::test::make_order;
using pithball::test::solve;
using pithball::test::swinging;

namespace {

/// Two shared values and the place of each series, as in a fit with a free start: F < 10 P.
FitRows placed_series(Index frames, Index series) {
  FitRows fit;
  fit.order = make_order(1, frames, series);
  fit.J = Eigen::MatrixXd::Zero(frames * series, 2 + series);
  fit.J.leftCols(2) = swinging(frames, series);
  for (Index row = 0; row < fit.J.rows(); ++row) fit.J(row, 2 + row % series) = 1;
  fit.prior_J.resize(0, fit.J.cols());
  return fit;
}

std::vector<std::string> names_of(const FitRows& fit) {
  return std::vector<std::string>(static_cast<std::size_t>(fit.parameters()), "a");
}

/// Without the samples of one marker of each recording in some frames; the second recording lacks its last marker.
void drop_samples(FitRows& fit, Vector& noise, Index series) {
  const RowOrder whole = fit.order;
  std::vector<Index> kept, place(whole.previous.size(), -1);
  RowOrder order;
  order.recordings = whole.recordings;
  for (std::size_t f = 0; f < whole.frames.size(); ++f) {
    const FrameRows& frame = whole.frames[f];
    const auto first = static_cast<Index>(kept.size());
    for (Index row = frame.first; row < frame.end; ++row) {
      const Index s = row - frame.first, marker = s / 3;
      const bool is_hidden = f % 4 == 1 && marker == 1, is_absent = frame.recording == 1 && s >= series - 3;
      if (is_hidden || is_absent) continue;
      const auto here = static_cast<Index>(kept.size());
      place[row] = here;
      if (s % 3 == 0) order.samples.push_back(here);
      order.previous.push_back(whole.previous[row] < 0 ? -1 : place[whole.previous[row]]);
      order.series.push_back(s);
      kept.push_back(row);
    }
    order.frames.push_back({frame.recording, first, static_cast<Index>(kept.size())});
  }
  order.samples.push_back(static_cast<Index>(kept.size()));
  fit.J = Eigen::MatrixXd(fit.J(kept, Eigen::all));
  noise = Vector(noise(kept));
  fit.order = order;
}

/// A matrix of all rows that is Σ_mn between rows of one frame and 0 elsewhere, where Σ_mn is the mean of `products`
/// over the frames of a recording in which both series are seen.
Eigen::MatrixXd averaged(const RowOrder& order, const Eigen::MatrixXd& products) {
  Eigen::MatrixXd Omega = Eigen::MatrixXd::Zero(products.rows(), products.cols());
  for (const FrameRows& f : order.frames)
    for (Index m = f.first; m < f.end; ++m)
      for (Index n = f.first; n < f.end; ++n) {
        double sum = 0, count = 0;
        for (const FrameRows& g : order.frames)
          for (Index p = g.first; p < g.end && g.recording == f.recording; ++p)
            for (Index q = g.first; q < g.end; ++q)
              if (order.series[p] == order.series[m] && order.series[q] == order.series[n]) {
                sum += products(p, q);
                count += 1;
              }
        Omega(m, n) = sum / count;
      }
  return Omega;
}

}  // namespace

TEST_CASE("series errors: one series is what a pencil says", "[optim][uncertainty][reference]") {
  // J = (1, 2, 1, 1), r = (1, −1, 2, −1) orthogonal to it: s² = 7/3. What the fit took away is added again, so that
  // Σ̂ = s²; 3 degrees of freedom; ρ̂ < 0, so that ρ = 0.
  const FitRows fit = pithball::test::line_of_four();
  const AllErrors errors = compute_all_errors(fit, compute_scores(fit), {"a"});
  CHECK_FALSE(errors.robust.by_mean_ratio);
  CHECK(errors.robust.autocorrelation == 0);
  CHECK(errors.robust.mean_ratio == Approx(1).epsilon(1e-12));
  CHECK(errors.parameters[0].robust == Approx(std::sqrt(7.0 / 3 / 7)).epsilon(1e-12));
  CHECK(errors.robust.degrees_of(0) == 3);
}

TEST_CASE("series errors: the degrees of freedom of a value are those of the series that tell of it",
          "[optim][uncertainty]") {
  // White noise, 40 frames: F samples of the variance of each of so many series of nine. Mean of 40 draws, each of
  // which scatters by some 20 %; the color that is estimated, never below 1, takes some of them.
  constexpr Index F = 40, S = 9;
  for (const Index telling : {2, 4}) {
    FitRows fit;
    fit.order = make_order(1, F, S);
    fit.J.setZero(F * S, 1);
    fit.prior_J.resize(0, 1);
    std::mt19937_64 random(8);
    std::normal_distribution<double> normal;  // each series tells by itself, at its own times
    for (Index row = 0; row < fit.J.rows(); ++row)
      if (row % S < telling) fit.J(row, 0) = normal(random);
    double mean = 0;
    for (int draw = 0; draw < 40; ++draw) {
      solve(fit, make_noise(random, F, S, 0, 0));
      const Scores scores = compute_scores(fit);
      const SeriesErrors errors = compute_series_errors(fit, scores, compute_posterior(fit, scores, {"a"}));
      mean += errors.degrees_of_freedom[0] / 40;
    }
    CHECK(mean / static_cast<double>(F * telling) == Approx(0.9).margin(0.2));
  }
}

TEST_CASE("series errors: they are the formulas written out, with gaps, two recordings, priors and a loss",
          "[optim][uncertainty][reference]") {
  constexpr Index F = 8, S = 9;
  for (const char* const kind : {"none", "huber"}) {
    INFO(kind);
    std::mt19937_64 random(3);
    FitRows fit = placed_series(2 * F, S);
    fit.order = make_order(2, F, S);
    fit.loss = RobustLoss(kind, 1.5);
    Vector noise = make_noise(random, 2 * F, S, 0, 0.5);
    drop_samples(fit, noise, S);
    fit.prior_J = 3 * Eigen::MatrixXd::Identity(4, fit.parameters());
    fit.prior = Vector::Constant(4, 0.3);
    solve(fit, noise);
    const Scores scores = compute_scores(fit);
    const Posterior posterior = compute_posterior(fit, scores, names_of(fit));
    const SeriesErrors errors = compute_series_errors(fit, scores, posterior);
    REQUIRE(errors.covariance.size() > 0);

    const double tau = posterior.data_scale;
    const Eigen::MatrixXd J = fit.J / tau, weighted = weigh_derivatives(fit) / tau;
    const Eigen::MatrixXd priors = fit.prior_J.transpose() * fit.prior_J;
    const Eigen::MatrixXd A = (J.transpose() * weighted + priors).inverse();
    const Vector e = scores.psi / tau;
    const auto R = static_cast<double>(e.size());
    const Eigen::MatrixXd begun = averaged(fit.order, e * e.transpose()) * (R / (R - posterior.determined_by_data));
    const Eigen::MatrixXd rest = Eigen::MatrixXd::Identity(e.size(), e.size()) - weighted * A * J.transpose();
    const Eigen::MatrixXd of_priors = weighted * A * priors * A * weighted.transpose();
    const Eigen::MatrixXd expected = rest * begun * rest.transpose() + of_priors;
    const Eigen::MatrixXd Omega = averaged(fit.order, e * e.transpose() + begun - expected);
    const Eigen::MatrixXd by_data = J.transpose() * Omega * J;
    // ρ̂ of residuals, and what the fit leaves of noise without color.
    const Eigen::MatrixXd left = rest * Omega * rest.transpose() + of_priors;
    double product = 0, of_white = 0, pairs = 0;
    for (Index row = 0; row < e.size(); ++row) {
      const Index before = fit.order.previous[row];
      if (before < 0) continue;
      product += e[row] * e[before];
      of_white += left(row, before);
      pairs += 1;
    }
    const double scale = pairs * e.squaredNorm() / R, rho = product / scale;
    const double corrected = std::max(0.0, rho + std::max(1.0 / (2 * F), -of_white / scale) * (1 + 3 * rho));
    CHECK(corrected > 0);
    CHECK(errors.autocorrelation == Approx(corrected).epsilon(1e-9));
    const double color = (1 + corrected) / (1 - corrected);
    const Eigen::MatrixXd reference = A * (color * by_data + priors) * A;
    CHECK((errors.covariance - reference).norm() < 1e-9 * reference.norm());
  }
}

TEST_CASE("series errors: units of residuals and of values change nothing but units", "[optim][uncertainty]") {
  constexpr Index F = 16, S = 6;
  std::mt19937_64 random(8);
  FitRows fit = placed_series(F, S);
  solve(fit, make_noise(random, F, S, 0.3, 0.5));
  const AllErrors errors = compute_all_errors(fit, compute_scores(fit), names_of(fit));
  REQUIRE_FALSE(errors.robust.by_mean_ratio);
  for (const double unit : {1e-3, 1e3}) {
    FitRows other = fit;
    other.r *= unit;
    other.J *= unit;
    other.J.col(1) *= unit;
    const AllErrors scaled = compute_all_errors(other, compute_scores(other), names_of(fit));
    CHECK(scaled.parameters[0].robust == Approx(errors.parameters[0].robust).epsilon(1e-9));
    CHECK(scaled.parameters[1].robust == Approx(errors.parameters[1].robust / unit).epsilon(1e-9));
    CHECK(scaled.robust.mean_ratio == Approx(errors.robust.mean_ratio).epsilon(1e-9));
    CHECK(scaled.robust.degrees_of(1) == errors.robust.degrees_of(1));
  }
}

TEST_CASE("series errors: with few frames intervals hold the truth whatever the noise",
          "[optim][uncertainty][coverage]") {
  // 300 draws of two values of eleven. Of 95 % of them, fewer than 270 (90 %) by accident in one of 10,000. Formal
  // errors under noise that markers share hold it in about 80 %.
  struct Noise {
    const char* name;
    double rho, common;
    int most_formal;
  };
  constexpr Index S = 9;
  constexpr int draws = 300;
  for (const Index F : {16, 50})
    for (const Noise& noise : {Noise{"white", 0, 0, 300}, Noise{"common to the markers", 0, 1, 255},
                               Noise{"partly common", 0, 0.5, 275}, Noise{"autoregression 0.5, common", 0.5, 1, 220}}) {
      INFO(noise.name << ", " << F << " frames");
      std::mt19937_64 random(5);
      FitRows fit = placed_series(F, S);
      std::array<int, 2> hits{}, formal{};
      std::vector<double> widths;
      for (int draw = 0; draw < draws; ++draw) {
        const Vector theta = solve(fit, make_noise(random, F, S, noise.rho, noise.common));
        const AllErrors errors = compute_all_errors(fit, compute_scores(fit), names_of(fit));
        REQUIRE_FALSE(errors.robust.by_mean_ratio);
        for (Index k = 0; k < 2; ++k) {
          hits[k] += std::abs(theta[k]) <= errors.parameters[k].half_width ? 1 : 0;
          formal[k] += std::abs(theta[k]) <= errors.posterior.formal.half_width[k] ? 1 : 0;
        }
        widths.push_back(errors.parameters[0].half_width / errors.posterior.formal.half_width[0]);
      }
      std::nth_element(widths.begin(), widths.begin() + draws / 2, widths.end());
      for (std::size_t k = 0; k < 2; ++k) {
        INFO("value " << k << ": " << hits[k] << " of " << draws << ", formal " << formal[k]);
        CHECK(hits[k] >= 270);
        CHECK(formal[k] < noise.most_formal + (noise.common == 0 ? 1 : 0));
      }
      if (noise.common == 0) CHECK(widths[draws / 2] < 1.15);
    }
}

TEST_CASE("series errors: noise of one component, or of one marker, stays with what depends on it",
          "[optim][uncertainty]") {
  // Two values of two components: the second component has ten times the noise. Errors of each within 25 % of the
  // scatter of its own.
  constexpr Index F = 12, S = 6;
  constexpr int draws = 200;
  std::mt19937_64 random(9);
  FitRows fit;
  fit.order = make_order(1, F, S);
  fit.J = Eigen::MatrixXd::Zero(F * S, 2);
  for (Index row = 0; row < F * S; ++row)
    if (row % 3 < 2) fit.J(row, row % 3) = std::sin(0.7 * static_cast<double>(row / S) + static_cast<double>(row % 3));
  fit.prior_J.resize(0, 2);
  Eigen::Array2d scatter = Eigen::Array2d::Zero(), said = scatter;
  for (int draw = 0; draw < draws; ++draw) {
    Vector noise = make_noise(random, F, S, 0, 1);
    for (Index row = 1; row < noise.size(); row += 3) noise[row] *= 10;
    const Vector theta = solve(fit, noise);
    RobustErrors robust = compute_all_errors(fit, compute_scores(fit), {"a", "b"}).robust;
    robust.covariance *= (1 - robust.autocorrelation) / (1 + robust.autocorrelation);
    scatter += theta.array().square();
    said += robust.covariance.diagonal().array();
  }
  const Eigen::Array2d ratio = (said / scatter).sqrt();
  CHECK(ratio[0] == Approx(1).margin(0.25));
  CHECK(ratio[1] == Approx(1).margin(0.25));
}

TEST_CASE("series errors: rows whose series are not known have none", "[optim][uncertainty]") {
  std::mt19937_64 random(4);
  FitRows fit = placed_series(16, 6);
  solve(fit, make_noise(random, 16, 6, 0, 0));
  fit.order.series.clear();
  const Scores scores = compute_scores(fit);
  CHECK(compute_series_errors(fit, scores, compute_posterior(fit, scores, names_of(fit))).covariance.size() == 0);
  CHECK(compute_all_errors(fit, scores, names_of(fit)).robust.by_mean_ratio);
}
