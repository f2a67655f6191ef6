// Agreement of estimates along a recording, on linear problems and on damped cosines.

#include "optim/uncertainty/time_blocks.hpp"

#include <Eigen/LU>
#include <algorithm>

#include "tests/optim/linear_fit.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;
using pithball::test::make_noise;
using pithball::test::make_order;
using pithball::test::solve;
using pithball::test::swinging;
using pithball::test::two_names;

namespace {

BlockAgreement compare(const FitRows& fit, const std::vector<std::string>& names) {
  const Scores scores = compute_scores(fit);
  return compare_blocks(fit, scores, compute_posterior(fit, scores, names));
}

/// A swing of two values.
FitRows swing_of(Index frames, Index series) {
  FitRows fit;
  fit.order = make_order(1, frames, series);
  fit.J = swinging(frames, series);
  fit.prior_J.resize(0, 2);
  return fit;
}

/// Markers at rest, each with a place of its own.
FitRows rest_of(Index frames) {
  FitRows fit;
  fit.order = make_order(1, frames, 3);
  fit.J = Eigen::MatrixXd::Zero(frames * 3, 2);
  for (Index f = 0; f < frames; ++f)
    for (Index k = 0; k < 2; ++k) fit.J(3 * f + k, k) = 1;
  fit.prior_J.resize(0, 2);
  return fit;
}

/// Number of draws with an alarm.
int count_alarms(FitRows fit, double rho, double common, double level, int draws) {
  std::mt19937_64 random(11);
  const Index F = static_cast<Index>(fit.order.frames.size()), series = fit.J.rows() / F;
  int alarms = 0;
  for (int draw = 0; draw < draws; ++draw) {
    solve(fit, make_noise(random, F, series, rho, common));
    alarms += compare(fit, two_names).p_value < level ? 1 : 0;
  }
  return alarms;
}

const std::vector<std::string> swing_names{"amplitude", "damping", "frequency"};

/// The readings e^{−γt} a cos(ωt) of 3 series with the factors 1, 0.8 and 0.6, and their derivatives by (a, γ, ω). The
/// recording lasts from t = 0 to 1.
Vector damped(const Vector& theta, Index frames, Eigen::MatrixXd& J) {
  Vector x(3 * frames);
  J.resize(3 * frames, 3);
  for (Index f = 0; f < frames; ++f)
    for (Index s = 0; s < 3; ++s) {
      const double t = static_cast<double>(f) / static_cast<double>(frames), factor = 1 - 0.2 * static_cast<double>(s);
      const double size = factor * std::exp(-theta[1] * t), phase = theta[2] * t;
      x[3 * f + s] = theta[0] * size * std::cos(phase);
      J.row(3 * f + s) << size * std::cos(phase), -t * x[3 * f + s], -theta[0] * size * t * std::sin(phase);
    }
  return x;
}

/// Recorded readings with an amplitude 1/(1 + b t) and a phase ω t + c t².
struct RecordedSwing {
  double b = 0, c = 0;
  Vector readings(Index frames) const {
    Vector x(3 * frames);
    for (Index f = 0; f < frames; ++f)
      for (Index s = 0; s < 3; ++s) {
        const double t = static_cast<double>(f) / static_cast<double>(frames),
                     factor = 1 - 0.2 * static_cast<double>(s);
        x[3 * f + s] = factor / (1 + b * t) * std::cos(40 * t + c * t * t);
      }
    return x;
  }
};

/// The fit of damped cosines to readings, with noise of this standard deviation.
FitRows fit_damped(const Vector& readings, const Vector& noise, double sigma) {
  const Index frames = readings.size() / 3;
  FitRows fit;
  fit.order = make_order(1, frames, 3);
  fit.prior_J.resize(0, 3);
  Vector theta(3);
  theta << 1, 1, 40;
  for (int round = 0; round < 30; ++round) {
    fit.r = (damped(theta, frames, fit.J) - readings) / sigma - noise;
    fit.J /= sigma;
    if (round < 29) theta -= (fit.J.transpose() * fit.J).ldlt().solve(fit.J.transpose() * fit.r);
  }
  return fit;
}

}  // namespace

TEST_CASE("time blocks: the statistic and the halves of one value are those by hand",
          "[optim][uncertainty][reference]") {
  constexpr Index F = 40;
  std::mt19937_64 random(3);
  FitRows fit;
  fit.order = make_order(1, F, 3);
  fit.J = swinging(F, 3).leftCols(1);
  fit.prior_J.resize(0, 1);
  solve(fit, make_noise(random, F, 3, 0.6, 0));
  const BlockAgreement found = compare(fit, {"a"});
  CHECK(found.frames == F);
  CHECK(found.trends == 3);
  const double rho = found.autocorrelation;
  CHECK(rho > 0.4);
  CHECK(rho < 0.9);
  // All columns, filtered: J, its three trends, its two halves.
  Eigen::MatrixXd all(3 * F, 6), filtered(3 * F, 6);
  for (Index row = 0; row < 3 * F; ++row) {
    const double s = (static_cast<double>(row / 3) + 0.5) / F, j = fit.J(row, 0);
    const auto shape = [&](double turns) { return j * std::cos(3.14159265358979323846 * turns * s); };
    all.row(row) << j, shape(1), shape(2), shape(3), s < 0.5 ? j : 0, s < 0.5 ? 0 : j;
  }
  Vector r = fit.r;
  filtered = all;
  for (Index row = 0; row < 3 * F; ++row) {
    const Index before = std::max<Index>(0, row - 3);
    const double keep = row < 3 ? std::sqrt(1 - rho * rho) : 1, take = row < 3 ? 0 : rho;
    filtered.row(row) = keep * all.row(row) - take * all.row(before);
    r[row] = keep * fit.r[row] - take * fit.r[before];
  }
  const Eigen::MatrixXd X = filtered.leftCols(4), H = filtered.rightCols(2);
  const Vector e = r - X * (X.transpose() * X).inverse() * (X.transpose() * r);
  double largest = 0;
  for (Index k = 1; k < 4; ++k) {
    const Vector z = X.col(k) - X.col(0) * (X.col(0).dot(X.col(k)) / X.col(0).squaredNorm());
    Vector g(F);
    for (Index f = 0; f < F; ++f) g[f] = z.segment(3 * f, 3).dot(e.segment(3 * f, 3));
    double color = 1;
    for (const Index lags : {1, 2, 4}) {
      double sum = g.squaredNorm();
      for (Index l = 1; l <= lags; ++l) sum += 2 * (1 - l / (lags + 1.0)) * g.tail(F - l).dot(g.head(F - l));
      color = std::max(color, sum / g.squaredNorm() / (1 - (lags + 1.0) / F));
    }
    largest = std::max(largest, std::abs(z.dot(r)) / std::sqrt(color * F / (F - 4.0) * g.squaredNorm()));
  }
  CHECK(found.statistic == Approx(largest).epsilon(1e-9));
  CHECK(found.changes.at(0).parameter == 0);
  const Vector halves = -(H.transpose() * H).inverse() * (H.transpose() * r);
  CHECK(found.changes.at(0).first_half.shift == Approx(halves[0]).epsilon(1e-9));
  CHECK(found.changes.at(0).second_half.shift == Approx(halves[1]).epsilon(1e-9));
}

TEST_CASE("time blocks: correlated noise raises no alarm", "[optim][uncertainty][coverage]") {
  // At p = 1e-2, because rates of 1e-3 need thousands of draws; 12 of 200 are above 1e-2 by accident (z = 7).
  constexpr int draws = 200;
  for (const double rho : {0.0, 0.5, 0.9})
    for (const double common : {0.0, 0.9}) {
      const int swings = count_alarms(swing_of(60, 6), rho, common, 0.01, draws);
      const int rests = count_alarms(rest_of(60), rho, common, 0.01, draws);
      INFO("rho " << rho << ", common " << common << ": " << swings << " and " << rests << " of " << draws);
      CHECK(swings <= 8);
      CHECK(rests <= 12);
    }
}

TEST_CASE("time blocks: it finds damping and a frequency that change, in white and in colored noise",
          "[optim][uncertainty]") {
  std::mt19937_64 random(5);
  for (const double rho : {0.0, 0.5, 0.9})
    for (const Index frames : {60, 240}) {
      INFO("rho " << rho << ", frames " << frames);
      const Vector noise = make_noise(random, frames, 3, rho, 0);
      const BlockAgreement right = compare(fit_damped(RecordedSwing{0, 0}.readings(frames), noise, 0.02), swing_names);
      CHECK(right.p_value > 0.01);
      // Quadratic drag: the amplitude decays as 1/(1 + b t), quickly at first.
      const BlockAgreement drag = compare(fit_damped(RecordedSwing{4, 0}.readings(frames), noise, 0.02), swing_names);
      CHECK(drag.p_value < 1e-4);
      // A spring whose frequency depends on the amplitude, and so on time.
      const BlockAgreement cubic = compare(fit_damped(RecordedSwing{0, 1}.readings(frames), noise, 0.02), swing_names);
      CHECK(cubic.p_value < 1e-4);
      CHECK(cubic.changes.at(0).parameter == 2);
      CHECK(cubic.changes.at(0).first_half.shift < 0);
      CHECK(cubic.changes.at(0).second_half.shift > 0);
      CHECK(cubic.changes.at(0).first_half.error < cubic.changes.at(0).second_half.shift);
    }
}

TEST_CASE("time blocks: the scale of the residuals does not matter", "[optim][uncertainty]") {
  std::mt19937_64 random(7);
  FitRows fit = swing_of(50, 6);
  solve(fit, make_noise(random, 50, 6, 0.7, 0.5));
  const BlockAgreement once = compare(fit, two_names);
  fit.r *= 32;  // χ²/ν of 1000
  const BlockAgreement larger = compare(fit, two_names);
  CHECK(once.statistic > 0);
  CHECK(larger.statistic == Approx(once.statistic).epsilon(1e-6));
  CHECK(larger.p_value == Approx(once.p_value).epsilon(1e-6));
  CHECK(larger.changes.at(0).first_half.error == Approx(32 * once.changes.at(0).first_half.error).epsilon(1e-6));
}

TEST_CASE("time blocks: recordings are compared at the same part of their time", "[optim][uncertainty]") {
  constexpr Index G = 3, F = 20, series = 3;
  FitRows fit;
  fit.order = make_order(G, F, series);
  fit.J = swinging(F, series).replicate(G, 1);
  fit.prior_J.resize(0, 2);
  std::mt19937_64 random(13);
  const Vector noise = make_noise(random, G * F, series, 0, 0);
  solve(fit, noise);
  CHECK(compare(fit, two_names).p_value > 0.01);
  Vector changed = noise;
  for (Index g = 0; g < G; ++g) {
    const Index first = (g * F + F / 2) * series, rows = F / 2 * series;
    changed.segment(first, rows) -= 6 * fit.J.col(0).segment(first, rows);  // value a is 6 larger from half time on
  }
  solve(fit, changed);
  const BlockAgreement found = compare(fit, two_names);
  CHECK(found.p_value < 1e-3);
  CHECK(found.changes.at(0).second_half.shift - found.changes.at(0).first_half.shift ==
        Approx(6).margin(4 * (found.changes.at(0).first_half.error + found.changes.at(0).second_half.error)));
}

TEST_CASE("time blocks: a change is measured by the error that is reported of the whole", "[optim][uncertainty]") {
  ValueChange change;
  change.first_half.shift = -3;
  change.second_half.shift = 5;
  CHECK(change.in_errors(1) == 4);
  CHECK(change.in_errors(8) == 0.5);
}

TEST_CASE("time blocks: few frames cannot be compared", "[optim][uncertainty]") {
  std::mt19937_64 random(17);
  FitRows fit = swing_of(15, 3);
  solve(fit, make_noise(random, 15, 3, 0, 0));
  const BlockAgreement few = compare(fit, two_names);
  CHECK(few.trends == 0);
  CHECK(std::isnan(few.p_value));
  CHECK(few.changes.empty());
  FitRows enough = swing_of(16, 3);
  solve(enough, make_noise(random, 16, 3, 0, 0));
  CHECK(compare(enough, two_names).trends == 1);
  CHECK(compare(enough, two_names).p_value <= 1);
}
