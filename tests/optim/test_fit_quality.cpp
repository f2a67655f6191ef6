#include "optim/verdict/fit_quality.hpp"

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

constexpr Index recorded_frames = 51;

/// All four particles of the body, seen in every frame of a run with this noise.
Observation seen(double noise, unsigned seed) { return test::record(make_body("a"), 1, noise, seed); }

/// Residuals in units of sigma of four markers: an autoregression in time with variance 1, of which a part is common to
/// the markers.
sim::Vector residuals(double rho, double common, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  sim::Vector r(recorded_frames * 4 * 3), last(15);
  for (double& value : last) value = normal(random);
  for (Index f = 0; f < recorded_frames; ++f) {
    for (Index m = 0; m < 4; ++m)
      for (Index a = 0; a < 3; ++a)
        r[12 * f + 3 * m + a] = std::sqrt(1 - common) * last[3 * m + a] + std::sqrt(common) * last[12 + a];
    for (double& value : last) value = rho * value + std::sqrt(1 - rho * rho) * normal(random);
  }
  return r;
}

RecordingWhiteness whiteness(const sim::Vector& r) {
  static const Observation o = seen(1e-3, 1);
  return compute_whiteness({make_body("a")}, {o}, r).at(0);
}

}  // namespace

TEST_CASE("whiteness: correlation between markers by its definition", "[optim][whiteness][reference]") {
  Observation o;
  for (Index m = 0; m < 2; ++m) o.markers.push_back({std::to_string(m), {{m, 1.0}}});
  o.noise.sigma = sim::Vector::Ones(2);
  sim::Vector r(8);
  r << 1, 2, -1, -1, 2, 1, -2, 0;
  for (Index f = 0; f < 4; ++f) {
    o.times.push_back(1e-4 * static_cast<double>(f));
    sim::Points x = sim::Points::Constant(3, 2, NAN);
    x.row(0).setZero();
    o.positions.push_back(x);
  }
  const MarkerCorrelation between = compute_whiteness({make_body("a")}, {o}, r).at(0).between;
  CHECK(between.pairs == 1);
  CHECK(between.mean == Approx(5 / std::sqrt(60.0)).epsilon(1e-14));  // (2 + 1 + 2)/√(10·6)
  CHECK(between.error_factor(2) == Approx(std::sqrt(1 + 5 / std::sqrt(60.0))).epsilon(1e-14));
  // n ρ̂² = 4·25/60; the factor of time, from Σ r_t r_{t+1}/6 over Σ r²/8.
  const double lag_1 = ((-1 - 2 - 4) + (-2 - 1 + 0)) / 6.0 / (16.0 / 8);
  const double time = (1 - lag_1 * lag_1) / (1 + lag_1 * lag_1);
  CHECK(between.statistic == Approx((1 + (100.0 / 60 - 1) * std::sqrt(2.0)) * time).epsilon(1e-12));
  CHECK(between.p_value == Approx(chi_square_tail(between.statistic, 1)).epsilon(1e-12));
}

TEST_CASE("whiteness: white residuals raise an alarm about once in a thousand, colored and common ones always",
          "[optim][whiteness][coverage]") {
  int in_time = 0, between = 0, between_colored = 0;
  constexpr unsigned repetitions = 2000;
  for (unsigned seed = 1; seed <= repetitions; ++seed) {
    const RecordingWhiteness white = whiteness(residuals(0, 0, seed));
    in_time += white.all.is_colored();
    between += white.between.is_common();
    if (seed <= 500) between_colored += whiteness(residuals(0.9, 0, seed)).between.is_common();
  }
  INFO(in_time << ", " << between << " of 2000; " << between_colored << " of 500");
  // The χ² form holds to a factor two at this length: of 2,000 with 2e-3 each, more than 13 come by chance once in
  // 10,000; of 2,000 with 1e-3 each, more than 9 once in 20,000.
  CHECK(in_time <= 13);
  CHECK(between <= 9);
  CHECK(between_colored <= 10);
  for (unsigned seed = 1; seed <= 50; ++seed) {
    CHECK(whiteness(residuals(0, 0.5, seed)).between.is_common());
    CHECK_FALSE(whiteness(residuals(0, 0.5, seed)).all.is_colored());
    CHECK(whiteness(residuals(0.9, 0, seed)).all.is_colored());
  }
  CHECK(whiteness(residuals(0, 0.5, 1)).between.mean == Approx(0.5).margin(0.2));
}

TEST_CASE("whiteness: a beat is an alarm though its lag 1 is small, and as many values as samples are not judged",
          "[optim][whiteness]") {
  sim::Vector r = residuals(0, 0, 3);
  for (Index f = 0; f < recorded_frames; ++f)
    for (Index c = 0; c < 12; ++c) r[12 * f + c] += 1.5 * std::cos(1.57079632679 * static_cast<double>(f + c));
  const RecordingWhiteness beat = whiteness(r);
  CHECK(std::abs(beat.all.lag_1) < 0.1);
  CHECK(beat.all.is_colored());
  CHECK(contains(beat.warnings().at(0), "autocorrelated noise or an incomplete model"));
  CHECK_FALSE(contains(beat.warnings().at(0), "too small by a factor"));

  const std::vector<diff::Scenario> both{make_body("a"), make_body("b")};
  const Observation o = seen(1e-3, 1);
  sim::Vector twice(2 * r.size());
  twice << r, r;
  const auto counted = compute_whiteness(both, {o, o}, twice, {{5, 9}, {1000, 1000}});
  CHECK(counted[0].all.degrees == beat.all.degrees);
  CHECK(counted[0].all.is_colored());  // beside a beat, what five values remove is little
  CHECK(counted[0].all.alarm_level == Approx(5e-4));
  CHECK(counted[1].all.degrees == 0);
  CHECK_FALSE(counted[1].all.is_colored());
}

TEST_CASE("fit_quality: lengths and χ² by their definitions, the same verdict in micrometers and kilometers",
          "[optim][quality][reference]") {
  for (const double length : {1e-6, 1.0, 1e3}) {
    Observation o = seen(1e-3, 2);
    for (sim::Points& x : o.positions) x *= length;
    o.noise.sigma *= length;
    const std::vector<diff::Scenario> scenarios{make_body("a")};
    const auto judge = [&](double off) {
      sim::Vector r(recorded_frames * 12);  // + and − from frame to frame
      for (Index f = 0; f < recorded_frames; ++f) r.segment(12 * f, 12).setConstant(f % 2 == 0 ? off : -off);
      return compute_fit_quality(scenarios, {o}, r, compute_whiteness(scenarios, {o}, r), 12);
    };
    const FitQuality near = judge(2), far = judge(300);
    CHECK(near.chi_square == Approx(4 * recorded_frames * 12).epsilon(1e-12));
    CHECK(near.degrees == recorded_frames * 12 - 12);
    CHECK(near.reduced() == Approx(4 * 51.0 / 50).epsilon(1e-12));
    const RecordingMisfit& one = near.recordings.at(0);
    CHECK(one.misfit == Approx(2e-3 * length).epsilon(1e-9));
    CHECK(one.start == Approx(2e-3 * length).epsilon(1e-9));
    CHECK(one.shift == Approx(2e-3 * length / 51).epsilon(1e-9));
    CHECK(one.noise == Approx(1e-3 * length).epsilon(0.2));
    CHECK(one.fits_until == o.times.back());
    CHECK(one.fits());
    CHECK(near.fits());
    CHECK(near.is_correlated);
    CHECK(contains(near.notes().at(0), "residuals are 2.02 times sigma"));
    CHECK(contains(near.notes().at(0), "autocorrelated noise or an incomplete model"));
    CHECK_FALSE(far.fits());
    CHECK(std::isnan(far.recordings[0].fits_until));
    CHECK(contains(far.notes().at(0), "the model does not fit: a: misfit"));
  }
}

TEST_CASE("fit_quality: the weight of frames changes neither misfit nor noise", "[optim][quality]") {
  const std::vector<diff::Scenario> scenarios{make_body("a")};
  Observation o = seen(1e-3, 2);
  sim::Vector r(recorded_frames * 12);
  for (Index f = 0; f < recorded_frames; ++f) r.segment(12 * f, 12).setConstant(f % 2 == 0 ? 2 : -2);
  const FitQuality plain = compute_fit_quality(scenarios, {o}, r, compute_whiteness(scenarios, {o}, r), 12, true);
  for (std::size_t f = 0; f < o.times.size(); ++f) {
    o.frame_weight.push_back(std::exp(0.1 * static_cast<double>(f)));
    r.segment(12 * static_cast<Index>(f), 12) *= o.frame_weight.back();
  }
  const FitQuality weighted = compute_fit_quality(scenarios, {o}, r, compute_whiteness(scenarios, {o}, r), 12, true);
  CHECK(weighted.recordings.at(0).misfit == Approx(plain.recordings.at(0).misfit).epsilon(1e-12));
  CHECK(weighted.recordings.at(0).noise == Approx(plain.recordings.at(0).noise).epsilon(1e-12));
}

TEST_CASE("fit_quality: χ² of the right noise is noted hardly ever, of another one always",
          "[optim][quality][coverage]") {
  const std::vector<diff::Scenario> scenarios{make_body("a")};
  int written = 0, from_tracks = 0, known = 0;
  constexpr unsigned repetitions = 300;
  const Observation exact = seen(0, 1);
  for (unsigned seed = 1; seed <= repetitions; ++seed) {
    // The residual of the true model is the noise of the recording itself, with opposite sign.
    Observation o = seen(1e-3, seed);
    sim::Vector off(recorded_frames * 12);
    for (Index f = 0; f < recorded_frames; ++f) {
      const sim::Points noise = o.positions[f] - exact.positions[f];
      off.segment(12 * f, 12) = -Eigen::Map<const sim::Vector>(noise.data(), 12);
    }
    const auto judge = [&](double sigma, SigmaOrigin origin, bool is_known) {
      o.noise.sigma.setConstant(sigma);
      o.noise.origin = origin;
      const sim::Vector r = off / sigma;
      FitQuality quality = compute_fit_quality(scenarios, {o}, r, compute_whiteness(scenarios, {o}, r), 0);
      quality.absolute_sigma = is_known;
      return quality.notes().size();
    };
    written += judge(1e-3, SigmaOrigin::Written, false) > 0;
    known += judge(1e-3, SigmaOrigin::Written, true) > 0;
    from_tracks += judge(estimate_track_noise("a", o).all.sigma, SigmaOrigin::Tracks, false) > 0;
    if (seed > 20) continue;
    CHECK(judge(0.5e-3, SigmaOrigin::Written, false) == 1);
    CHECK(judge(2e-3, SigmaOrigin::Written, false) == 0);  // a guess that is too large hides nothing from the errors
    CHECK(judge(4e-3, SigmaOrigin::Written, false) == 1);  // unless it is far too large
    CHECK(judge(2e-3, SigmaOrigin::Written, true) == 1);
    CHECK(judge(1e-5, SigmaOrigin::Guess, false) == 0);
  }
  INFO(written << ", " << known << ", " << from_tracks << " of 300");
  // Four standard deviations: of 300, two come by chance once in 20,000.
  CHECK(written <= 1);
  CHECK(known <= 1);
  CHECK(from_tracks <= 1);
}

TEST_CASE("fit: the right model fits, a wrong one says that it does not and what to look at", "[optim][quality][fit]") {
  FitProblem problem;
  problem.scenarios = {make_body("a")};
  problem.observations = {seen(2e-3, 12)};
  Parameter stiffness = test::shared("stiffness", 0.9);
  stiffness.factor = true;
  problem.parameters = {stiffness};
  const FitReport right = fit(problem);
  CHECK(right.goodness.quality.fits());
  // The film was made at this very step, so that half of it moves the estimate: nothing else is to be said.
  for (const std::string& note : right.notes)
    CHECK(contains(note, "with half the time step the estimate would change"));
  CHECK(right.goodness.quality.reduced() == Approx(1).margin(0.25));  // 4 √(2/611)
  CHECK(right.goodness.causes.empty());

  test::BodyOptions neutral;
  neutral.charge = 1e-9;  // held, and wrong
  problem.scenarios = {make_body("a", neutral)};
  const FitReport alone = fit(problem);
  REQUIRE(!alone.goodness.causes.empty());
  CHECK(contains(alone.goodness.causes.back().reason, "the model is incomplete"));
  problem.search.further_starts = true;
  const FitReport wrong = fit(problem);
  INFO(wrong.goodness.quality.recordings.at(0).sentence());
  CHECK_FALSE(wrong.goodness.quality.fits());
  // Further starts were tried, and none was better: the minimum is the less likely cause.
  const std::vector<MisfitCause>& causes = wrong.goodness.causes;
  REQUIRE(causes.size() >= 2);
  CHECK(contains(causes[causes.size() - 2].reason, "the model is incomplete"));
  CHECK(contains(causes.back().reason, "local minimum"));
  CHECK(contains(causes.back().reason, "though further starts were tried"));
}

TEST_CASE("fit: markers whose names are exchanged from some frame on are the first cause", "[optim][quality][fit]") {
  FitProblem problem;
  problem.scenarios = {make_body("a")};
  problem.observations = {seen(2e-3, 12)};
  problem.parameters = {test::shared("stiffness")};
  std::vector<sim::Points>& positions = problem.observations[0].positions;
  for (std::size_t f = positions.size() / 2; f < positions.size(); ++f) positions[f].col(1).swap(positions[f].col(2));
  const FitReport report = fit(problem);
  CHECK(report.verdict.status == RunStatus::DoesNotFit);
  REQUIRE(!report.goodness.causes.empty());
  INFO(report.goodness.causes.front().reason);
  CHECK(contains(report.goodness.causes.front().reason, "exchanged names: '1' and '2'"));
}

TEST_CASE("fit: markers a thousand times too far apart are said to have another unit", "[optim][quality][fit]") {
  FitProblem problem;
  problem.scenarios = {make_body("a")};
  problem.observations = {seen(2e-3, 12)};
  problem.parameters = {test::shared("stiffness")};
  problem.search.minimizer.max_iterations = 2;
  const auto first_cause = [&](double unit) {
    FitProblem scaled = problem;
    for (sim::Points& frame : scaled.observations[0].positions) frame *= unit;
    const FitReport report = fit(scaled);
    REQUIRE(!report.goodness.causes.empty());
    INFO(report.goodness.causes.front().reason);
    CHECK(contains(report.goodness.causes.front().reason, "unit of length: the recorded spread of the markers is"));
    return report.goodness.causes.front().remedy;
  };
  CHECK(first_cause(1000) == "check `scale` of the recording: `scale: 1 mm` instead of 1 m");
  CHECK(first_cause(100) == "check `scale` of the recording: `scale: 1 cm` instead of 1 m");
  CHECK(first_cause(0.001) == "check `scale` of the recording: `scale: 1e+03 m` instead of 1 m");
}

TEST_CASE("fit: an interval over a thousand times the value is none", "[optim][quality][fit]") {
  FitProblem problem;
  problem.scenarios = {make_body("a")};
  problem.observations = {seen(2e-3, 12)};
  Parameter drag = test::shared("linear_drag", 1e-9);  // of a body without any
  drag.range.transform = Transform::Kind::Log;
  problem.parameters = {test::shared("charge"), drag};
  problem.search.minimizer.max_iterations = 1;
  const FitReport report = fit(problem);
  INFO(report.estimates.parameters[1].estimate << " ± " << report.estimates.parameters[1].standard_error);
  CHECK_FALSE(report.estimates.parameters[1].identifiable);
  CHECK(contains(report.estimates.parameters[1].weak_direction, "linear_drag"));
}
