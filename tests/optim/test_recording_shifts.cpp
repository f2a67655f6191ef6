// Shifts and drifts of recordings, on linear problems: found where they are, not in colored noise, and their effect on
// the estimates.

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "optim/uncertainty/recording_shifts.hpp"
#include "tests/optim/linear_fit.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;
using pithball::test::make_noise;
using pithball::test::make_order;
using pithball::test::solve;
using pithball::test::swinging;
using pithball::test::two_names;

namespace {

constexpr Index shift_frames = 60, shift_series = 9;
constexpr double shift_sigma = 0.002;  // of a reading

/// Two values that swing about a place that is not 0, so that constants are not orthogonal to them.
FitRows hanging() {
  FitRows fit;
  fit.order = make_order(1, shift_frames, shift_series);
  fit.J = swinging(shift_frames, shift_series);
  for (Index row = 0; row < fit.J.rows(); ++row) {
    fit.J(row, 0) += 0.5 + 0.2 * static_cast<double>(row % shift_series / 3);
    fit.J(row, 1) += static_cast<double>(row / shift_series) / static_cast<double>(shift_frames);
  }
  fit.prior_J.resize(0, 2);
  return fit;
}

ShiftRows readings_of(const FitRows& fit, double sigma) {
  ShiftRows shifts{Vector::Constant(fit.r.size(), 1 / sigma), Vector(fit.r.size())};
  for (Index row = 0; row < fit.r.size(); ++row)
    shifts.place[row] = static_cast<double>(row / shift_series) / static_cast<double>(shift_frames - 1) - 0.5;
  return shifts;
}

RecordingShifts shifts_in(const FitRows& fit, double sigma, AllErrors& errors) {
  const Scores scores = compute_scores(fit);
  errors = compute_all_errors(fit, scores, two_names);
  return find_recording_shifts(fit, scores, errors.posterior, readings_of(fit, sigma));
}

/// Residuals are simulated minus recorded: of a recording that is shifted by b (m) they change by −b/σ.
void add_shift(ShiftKind kind, const pithball::sim::Vec3& b, Index marker, Vector& noise) {
  for (Index row = 0; row < noise.size(); ++row) {
    const Index series = row % shift_series;
    if (marker >= 0 && series / 3 != marker) continue;
    const double s = static_cast<double>(row / shift_series) / static_cast<double>(shift_frames - 1) - 0.5;
    noise[row] -= b[series % 3] / shift_sigma * (kind == ShiftKind::Drift ? s : 1);
  }
}

}  // namespace

TEST_CASE("recording shifts: a shift is found with its size, kind and marker, in any unit", "[optim][uncertainty]") {
  struct Fault {
    ShiftKind kind;
    Index marker;
  };
  for (const Fault& fault : {Fault{ShiftKind::Translation, -1}, Fault{ShiftKind::Drift, -1}, Fault{ShiftKind::Own, 1}})
    for (const double unit : {1e-3, 1.0, 1e3}) {
      std::mt19937_64 random(2);
      FitRows fit = hanging();
      Vector noise = make_noise(random, shift_frames, shift_series, 0, 0);
      const pithball::sim::Vec3 b(0.004, -0.003, 0.005);
      add_shift(fault.kind, b, fault.marker, noise);
      solve(fit, noise);
      fit.J *= unit;
      AllErrors errors;
      const RecordingShifts shifts = shifts_in(fit, shift_sigma * unit, errors);
      REQUIRE(shifts.found.size() >= 1);
      const auto right = std::ranges::find_if(shifts.found, [&](const RecordingShift& one) {
        return one.kind == fault.kind && one.marker == fault.marker;
      });
      REQUIRE(right != shifts.found.end());
      const double part = fault.marker >= 0 ? 2.0 / 3 : 1;  // of one of three markers against their mean
      for (Index a = 0; a < 3; ++a) {
        CHECK(right->error[a] > 0);
        CHECK(std::abs(right->size[a] - part * unit * b[a]) < 4 * right->error[a]);
      }
      CHECK(right->p_value < 1e-6);
      REQUIRE(shifts.covariance.size() == 4);
    }
}

TEST_CASE("recording shifts: with a loss they are found as without, whatever an outlier says", "[optim][uncertainty]") {
  std::mt19937_64 random(5);
  FitRows fit = hanging();
  fit.loss = RobustLoss("huber", 1.5);
  Vector noise = make_noise(random, shift_frames, shift_series, 0, 0);
  const pithball::sim::Vec3 b(0.004, -0.003, 0.005);
  add_shift(ShiftKind::Translation, b, -1, noise);
  for (Index row = 0; row < noise.size(); row += 50) noise[row] += 30;
  solve(fit, noise);
  AllErrors errors;
  const RecordingShifts shifts = shifts_in(fit, shift_sigma, errors);
  const auto right = std::ranges::find(shifts.found, ShiftKind::Translation, &RecordingShift::kind);
  REQUIRE(right != shifts.found.end());
  for (Index a = 0; a < 3; ++a) CHECK(std::abs(right->size[a] - b[a]) < 4 * right->error[a]);
  CHECK(right->error.maxCoeff() < 0.0005);
}

TEST_CASE("recording shifts: the covariance is what shifts of that size do to the estimates", "[optim][uncertainty]") {
  // Against solutions of the problem with the recording shifted by one sigma_b along each component: differences.
  std::mt19937_64 random(3);
  FitRows fit = hanging();
  Vector noise = make_noise(random, shift_frames, shift_series, 0, 0);
  add_shift(ShiftKind::Translation, {0.004, 0.004, -0.004}, -1, noise);
  const Vector theta = solve(fit, noise);
  AllErrors errors;
  const RecordingShifts shifts = shifts_in(fit, shift_sigma, errors);
  REQUIRE(shifts.found.size() == 1);
  const double size = shifts.found[0].size.norm() / std::sqrt(3.0);
  Eigen::Matrix2d expected = Eigen::Matrix2d::Zero();
  for (Index a = 0; a < 3; ++a) {
    Vector moved = noise;
    add_shift(ShiftKind::Translation, size * pithball::sim::Vec3::Unit(a), -1, moved);
    FitRows other = fit;
    const Vector step = solve(other, moved) - theta;
    CHECK(step.norm() > 0);
    expected += step * step.transpose();
  }
  CHECK((shifts.covariance - expected).norm() < 1e-9 * expected.norm());
}

TEST_CASE("recording shifts: intervals hold the truth, and noise raises no alarm", "[optim][uncertainty][coverage]") {
  // 150 draws. Shifts: at least 90 % covered, found in 95 %. Noise: at most 4 alarms (of 1e-3 each, but for the color
  // that is estimated from the same 60 frames).
  struct Case {
    const char* name;
    double rho, common;
    int shift;  // 0: none; 1 translation, 2 drift, 3 of each marker
  };
  constexpr int draws = 150;
  for (const Case& c : {Case{"white", 0, 0, 0}, Case{"common", 0, 1, 0}, Case{"autoregression 0.5, common", 0.5, 1, 0},
                        Case{"autoregression 0.9", 0.9, 0, 0}, Case{"autoregression 0.9, common", 0.9, 1, 0},
                        Case{"translation", 0, 0, 1}, Case{"drift", 0, 0, 2}, Case{"own shifts", 0, 0, 3}}) {
    INFO(c.name);
    std::mt19937_64 random(4);
    std::normal_distribution<double> normal(0, shift_sigma);
    const auto draw_shift = [&] { return pithball::sim::Vec3(normal(random), normal(random), normal(random)); };
    int alarms = 0;
    std::array<int, 2> hits{}, before{};
    for (int draw = 0; draw < draws; ++draw) {
      FitRows fit = hanging();
      Vector noise = make_noise(random, shift_frames, shift_series, c.rho, c.common);
      if (c.shift == 1) add_shift(ShiftKind::Translation, draw_shift(), -1, noise);
      if (c.shift == 2) add_shift(ShiftKind::Drift, 3 * draw_shift(), -1, noise);
      for (Index m = 0; c.shift == 3 && m < 3; ++m) add_shift(ShiftKind::Own, draw_shift(), m, noise);
      const Vector theta = solve(fit, noise);
      AllErrors errors;
      const RecordingShifts shifts = shifts_in(fit, shift_sigma, errors);
      for (Index k = 0; k < 2; ++k) before[k] += std::abs(theta[k]) <= errors.parameters[k].half_width ? 1 : 0;
      if (!shifts.found.empty()) add_covariance(shifts.covariance, 0.95, errors);
      alarms += shifts.found.empty() ? 0 : 1;
      for (Index k = 0; k < 2; ++k) hits[k] += std::abs(theta[k]) <= errors.parameters[k].half_width ? 1 : 0;
    }
    INFO("alarms " << alarms << ", covered " << hits[0] << ", " << hits[1] << "; before " << before[0] << ", "
                   << before[1]);
    if (c.shift == 0)
      CHECK(alarms <= 4);
    else
      CHECK(alarms >= draws * 95 / 100);
    for (const int hit : hits) CHECK(hit >= draws * 9 / 10);
    if (c.shift == 1) CHECK(before[0] < draws * 85 / 100);
  }
}

TEST_CASE("recording shifts: a shift that the fitted values contain is not told from them", "[optim][uncertainty]") {
  std::mt19937_64 random(6);
  FitRows fit = hanging();
  fit.J.col(0).setZero();
  for (Index row = 0; row < fit.J.rows(); row += 3) fit.J(row, 0) = 1;
  Vector noise = make_noise(random, shift_frames, shift_series, 0, 0);
  add_shift(ShiftKind::Translation, {0.01, 0, 0}, -1, noise);
  solve(fit, noise);
  AllErrors errors;
  for (const RecordingShift& one : shifts_in(fit, shift_sigma, errors).found)
    CHECK_FALSE((one.kind == ShiftKind::Translation && one.component == 0));
}
