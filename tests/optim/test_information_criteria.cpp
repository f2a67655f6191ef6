// Criteria by which fits are ranked: how often values that are not there win, under noise of every color.

#include <cmath>
#include <random>

#include "optim/fit/report.hpp"
#include "optim/uncertainty/parameter_errors.hpp"
#include "tests/optim/linear_fit.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;
using pithball::test::make_noise;
using pithball::test::make_order;
using pithball::test::solve;
using pithball::test::swinging;

namespace {

/// Two values of a swing, and, if wanted, a pull on all markers along each axis, which is not there.
FitRows swing_with(bool pull, Index frames, Index series) {
  FitRows fit;
  fit.order = make_order(1, frames, series);
  fit.J = Eigen::MatrixXd::Zero(frames * series, pull ? 5 : 2);
  fit.J.leftCols(2) = swinging(frames, series);
  if (pull)
    for (Index row = 0; row < fit.J.rows(); ++row) {
      const double t = static_cast<double>(row / series) / static_cast<double>(frames);
      fit.J(row, 2 + row % 3) = t * t;
    }
  fit.prior_J.resize(0, fit.J.cols());
  return fit;
}

/// The gain in AICc by three false values.
double gain_of_false_values(const Vector& noise, Index frames, Index series, bool by_color_alone) {
  FitRows less = swing_with(false, frames, series), more = swing_with(true, frames, series);
  solve(less, noise);
  solve(more, noise);
  const AllErrors errors = compute_all_errors(more, compute_scores(more), std::vector<std::string>(5, "a"));
  ErrorReport report;
  report.autocorrelation = errors.robust.autocorrelation;
  if (!by_color_alone) report.mean_ratio = errors.robust.mean_ratio;
  const auto n = static_cast<double>(noise.size());
  const ComparedData data{n, count_independent(n, report, 1), false};
  return compute_criteria(data, less.r.squaredNorm(), 2).aicc - compute_criteria(data, more.r.squaredNorm(), 5).aicc;
}

/// Share of draws in which they win by more than 2, the difference that counts.
double false_wins(double rho, double common, bool by_color_alone = false) {
  std::mt19937_64 random(3);
  constexpr Index frames = 81, series = 9, draws = 1000;
  Index wins = 0;
  for (Index i = 0; i < draws; ++i)
    if (gain_of_false_values(make_noise(random, frames, series, rho, common), frames, series, by_color_alone) > 2)
      ++wins;
  return static_cast<double>(wins) / static_cast<double>(draws);
}

}  // namespace

TEST_CASE("information criteria: false values win as seldom under noise that markers share as under white noise",
          "[optim][fit]") {
  // Three values win by 2 where χ² of 3 degrees exceeds 8.2: 4.2 %, ± 0.6 % of 1000 draws; a factor of 1.5 more for an
  // n_eff that is an estimate.
  for (const double rho : {0.0, 0.5})
    for (const double common : {0.0, 0.5, 1.0}) {
      CAPTURE(rho, common);
      const double share = false_wins(rho, common);
      CHECK(share < 0.08);
      CHECK(share > 0.01);
    }
  CHECK(false_wins(0, 1, true) > 0.3);  // the fault that the correlation between markers mends
}

TEST_CASE("information criteria: independent coordinates are n/M, n (1 − ρ)/(1 + ρ), and n at most", "[optim][fit]") {
  ErrorReport errors;
  errors.mean_ratio = std::sqrt(3.0);
  errors.autocorrelation = 0.5;
  CHECK(count_independent(729, errors, 1) == Approx(243).epsilon(1e-12));
  CHECK(count_independent(729, errors, 2) == Approx(486).epsilon(1e-12));  // of a sigma that is too small
  errors.mean_ratio = std::nan("");
  CHECK(count_independent(729, errors, 1) == Approx(243).epsilon(1e-12));
  errors.autocorrelation = std::nan("");
  CHECK(count_independent(729, errors, 1) == 729);
  errors.mean_ratio = 0.9;
  CHECK(count_independent(729, errors, 1) == 729);
}

TEST_CASE("information criteria: agree with their formulas, and AICc is unknown with too many values", "[optim][fit]") {
  // By hand: k = 4, D = 50 ln(110/100) = 4.765509; AICc = D + 8 + 40/45; BIC = D + 4 ln 50.
  const InformationCriteria found = compute_criteria({100, 50, false}, 110, 3);
  CHECK(found.aicc == Approx(13.6543979).epsilon(1e-8));
  CHECK(found.bic == Approx(20.4136010).epsilon(1e-8));
  CHECK(compute_criteria({100, 50, true}, 110, 3).bic == Approx(55 + 3 * std::log(50)).epsilon(1e-12));
  CHECK(std::isnan(compute_criteria({100, 5, false}, 110, 3).aicc));
  CHECK(std::isfinite(compute_criteria({100, 5.5, false}, 110, 3).aicc));
}
