// The jackknife over recordings, on linear problems.

#include <Eigen/LU>

#include "optim/uncertainty/parameter_errors.hpp"
#include "tests/optim/linear_fit.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;
using pithball::test::make_noise;
using pithball::test::make_order;
using pithball::test::solve;
using pithball::test::swinging;
using pithball::test::two_names;

namespace {

/// So many recordings of the same swing.
FitRows several(Index recordings, Index frames, Index series) {
  FitRows fit;
  fit.order = make_order(recordings, frames, series);
  fit.J.resize(recordings * frames * series, 2);
  for (Index g = 0; g < recordings; ++g)
    fit.J.middleRows(g * frames * series, frames * series) = swinging(frames, series);
  fit.prior_J.resize(0, 2);
  return fit;
}

}  // namespace

TEST_CASE("jackknife: leaving one out is the fit without it, exactly where the model is linear",
          "[optim][uncertainty][reference]") {
  constexpr Index G = 5, F = 6, S = 3, rows = F * S;
  std::mt19937_64 random(8);
  FitRows fit = several(G, F, S);
  fit.J.topRows(rows) *= 3;  // one tells more than the others
  const Vector noise = make_noise(random, G * F, S, 0, 0);
  const Vector theta = solve(fit, noise);
  const AllErrors errors = compute_all_errors(fit, compute_scores(fit), two_names);
  Eigen::MatrixXd without(2, G);
  for (Index j = 0; j < G; ++j) {
    Eigen::Matrix2d H = Eigen::Matrix2d::Zero();
    Eigen::Vector2d g = Eigen::Vector2d::Zero();
    for (Index i = 0; i < G; ++i) {
      if (i == j) continue;
      H += fit.J.middleRows(i * rows, rows).transpose() * fit.J.middleRows(i * rows, rows);
      g -= fit.J.middleRows(i * rows, rows).transpose() * noise.segment(i * rows, rows);
    }
    without.col(j) = H.inverse() * g;
    CHECK((errors.jackknife.shifts.col(j) - (without.col(j) - theta)).norm() < 1e-10 * theta.norm());
  }
  for (Index k = 0; k < 2; ++k) {
    const double variance = (G - 1.0) / G * (without.row(k).array() - without.row(k).mean()).square().sum();
    CHECK(errors.jackknife.standard_error[k] == Approx(std::sqrt(variance)).epsilon(1e-9));
  }
  CHECK(errors.jackknife.most_influential == 0);
  CHECK(errors.jackknife.telling[1] == G);
}

TEST_CASE("jackknife: three recordings have none, and a value of one recording has none", "[optim][uncertainty]") {
  std::mt19937_64 random(9);
  FitRows three = several(3, 6, 3);
  solve(three, make_noise(random, 18, 3, 0, 0));
  const AllErrors few = compute_all_errors(three, compute_scores(three), two_names);
  for (const ParameterErrors& errors : few.parameters) {
    CHECK(std::isnan(errors.jackknife));
    CHECK(std::isfinite(errors.half_width));  // that of the other kinds
    CHECK(errors.widest != ErrorKind::Jackknife);
  }
  CHECK(few.jackknife.most_influential == -1);

  FitRows own = several(5, 6, 3);
  own.J.col(1).tail(4 * 18).setZero();  // the second value acts in the first recording only
  solve(own, make_noise(random, 30, 3, 0, 0));
  const AllErrors errors = compute_all_errors(own, compute_scores(own), two_names);
  CHECK(std::isfinite(errors.parameters[0].jackknife));
  CHECK(std::isnan(errors.parameters[1].jackknife));
  CHECK(std::isfinite(errors.parameters[1].half_width));
}

TEST_CASE("jackknife: recordings that differ by themselves widen the interval, and it says so",
          "[optim][uncertainty][coverage]") {
  // Each of 8 recordings has its own value about the truth, with a deviation far above the formal error: 300 draws. t
  // with 7 degrees holds 95 %; below 91 % by accident (z = −3.2) in less than one of 1,000.
  constexpr Index G = 8, F = 10, S = 3, rows = F * S;
  constexpr int draws = 300;
  std::mt19937_64 random(10);
  std::normal_distribution<double> normal;
  FitRows fit = several(G, F, S);
  int held = 0, by_formal = 0, named = 0;
  for (int draw = 0; draw < draws; ++draw) {
    Vector noise = make_noise(random, G * F, S, 0, 0);
    for (Index g = 0; g < G; ++g)
      noise.segment(g * rows, rows) += fit.J.middleRows(g * rows, rows) * Eigen::Vector2d(5 * normal(random), 0);
    const Vector theta = solve(fit, noise);
    const AllErrors errors = compute_all_errors(fit, compute_scores(fit), two_names);
    held += std::abs(theta[0]) <= errors.parameters[0].half_width ? 1 : 0;
    by_formal += std::abs(theta[0]) <= errors.posterior.formal.half_width[0] ? 1 : 0;
    const ErrorKind widest = errors.parameters[0].widest;
    named += widest == ErrorKind::Jackknife || widest == ErrorKind::RandomEffects ? 1 : 0;
  }
  INFO(held << " of " << draws << ", formal " << by_formal << ", by recordings " << named);
  CHECK(held >= 273);
  CHECK(by_formal < 200);
  CHECK(named > 150);
}
