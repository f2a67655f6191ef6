#include "optim/uncertainty/autocorrelation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/optim/linear_fit.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;
using pithball::test::make_noise;
using pithball::test::make_order;

TEST_CASE("resampling: blocks grow with the autocorrelation and never beyond an eighth of the frames",
          "[optim][resampling]") {
  CHECK(block_length(0, 100) == 1);
  // (2·0.5/0.75)^{2/3}·100^{1/3} = 5.6.
  CHECK(block_length(0.5, 100) == 6);
  CHECK(block_length(0.9, 1000) > block_length(0.5, 1000));
  CHECK(block_length(0.99, 80) == 10);
  CHECK(block_length(0.99, 3) == 1);
}

TEST_CASE("resampling: a draw keeps whole blocks of whole frames and has the variance of the mean that it should",
          "[optim][resampling]") {
  constexpr Index recordings = 2, frames = 200, series = 6, draws = 4000;
  const RowOrder order = make_order(recordings, frames, series);
  std::mt19937_64 random(1);
  for (const double rho : {0.0, 0.6}) {
    Vector r(recordings * frames * series);
    r << make_noise(random, frames, series, rho, 0), make_noise(random, frames, series, rho, 0);
    const BlockSigns signs(order, rho);
    const Vector one = signs.resample(r, 1, 0), again = signs.resample(r, 1, 0), other = signs.resample(r, 1, 1);
    CHECK(one == again);
    CHECK(one != other);
    const Vector factor = one.cwiseQuotient(r);
    for (const FrameRows& frame : order.frames)
      CHECK((factor.segment(frame.first, series).array() - factor[frame.first]).abs().maxCoeff() < 1e-12);
    Index changes = 0;
    for (Index f = 1; f < frames; ++f) changes += factor[f * series] * factor[(f - 1) * series] < 0;
    // Every second block edge changes the sign.
    const double edges = static_cast<double>(frames) / static_cast<double>(block_length(rho, frames));
    CHECK(static_cast<double>(changes) == Approx(edges / 2).margin(4 * std::sqrt(edges) / 2));
    // Of constant residuals, Σ over a recording has the variance F times that of a block sum, stretched.
    const Vector constant = Vector::Ones(r.size());
    double square = 0;
    for (Index n = 0; n < draws; ++n)
      square += std::pow(signs.resample(constant, 2, n).head(frames * series).mean(), 2) / draws;
    const Index length = block_length(rho, frames);
    double cut = 1;
    for (Index j = 1; j < length; ++j)
      cut += 2 * (1 - static_cast<double>(j) / static_cast<double>(length)) * std::pow(rho, j);
    const double expected = static_cast<double>(length) / frames * (1 + rho) / (1 - rho) / cut;
    // Blocks at the ends are cut short (8 % here); a variance of 4,000 draws scatters by 2 %.
    CHECK(square == Approx(expected).epsilon(0.15));
  }
}

TEST_CASE("resampling: percentiles are those of the draws, and follow a bias", "[optim][resampling]") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> draws(20000);
  for (double& x : draws) x = 5 + 2 * normal(random);
  PercentileEnds ends = percentile_interval(draws, 5, 0.95);
  // A 2.5 % quantile of 20,000 draws scatters by 0.04, the correction for a bias by as much.
  CHECK(ends.lower == Approx(5 - 2 * 1.96).margin(0.25));
  CHECK(ends.upper == Approx(5 + 2 * 1.96).margin(0.25));
  // Draws that lie half a standard deviation too high: the interval lies as much too low (Efron 1987).
  ends = percentile_interval(draws, 4, 0.95);
  CHECK(ends.lower == Approx(5 + 2 * (2 * -0.5 - 1.96)).margin(0.25));
  CHECK(ends.upper == Approx(5 + 2 * (2 * -0.5 + 1.96)).margin(0.25));
  // An interval of a monotonic function is the function of the interval.
  std::vector<double> exponentials = draws;
  for (double& x : exponentials) x = std::exp(x);
  CHECK(percentile_interval(exponentials, std::exp(4.0), 0.95).upper == Approx(std::exp(ends.upper)).epsilon(1e-3));
  // Of 0, 1, … 99, the k-th standing for (k + ½)/100: z₀ = 0, and the ends are at 2.5 and 97.5 %. One that equals the
  // estimate counts half: z₀ = Φ⁻¹(0.505). (The normal quantile is that of Student's t with 1e9 degrees of freedom.)
  std::vector<double> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  ends = percentile_interval(numbers, 49.5, 0.95);
  CHECK(ends.lower == Approx(2).epsilon(1e-7));
  CHECK(ends.upper == Approx(97).epsilon(1e-7));
  ends = percentile_interval(numbers, 50, 0.95);
  CHECK(ends.lower == Approx(2.150146541680).epsilon(1e-7));
  CHECK(ends.upper == Approx(97.142948444387).epsilon(1e-7));
  // All on one side: no end is infinite.
  ends = percentile_interval({1, 2, 3}, 10, 0.95);
  CHECK(std::isfinite(ends.lower));
  CHECK(std::isfinite(ends.upper));
}
