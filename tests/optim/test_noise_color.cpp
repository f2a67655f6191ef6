// Whether noise explains residuals that are larger than it: of the true model with correlated noise, and of others.

#include "optim/verdict/noise_color.hpp"

#include <cmath>
#include <functional>
#include <random>

#include "optim/observation/track_noise.hpp"
#include "optim/verdict/fit_verdict.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;
using namespace pithball::test;
namespace diff = pithball::diff;

namespace {

constexpr Index noise_coordinates = 12;  // of four markers
constexpr double size_of_noise = 1e-3;

/// First-order autoregressions with coefficient φ: as many columns as frames.
Eigen::MatrixXd correlated_noise(Index frames, double phi, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd e(noise_coordinates, frames);
  for (Index f = 0; f < frames; ++f)
    for (Index k = 0; k < noise_coordinates; ++k)
      e(k, f) = f == 0 ? normal(random) : phi * e(k, f - 1) + std::sqrt(1 - phi * phi) * normal(random);
  return size_of_noise * e;
}

/// What is said of residuals of a model that misses the motion by `off` (12×frames), beside the noise `e` of the
/// recording; empty: noise may explain them.
std::string refusal(const Eigen::MatrixXd& e, const Eigen::MatrixXd& off) {
  const Index frames = e.cols();
  const std::vector<diff::Scenario> scenarios{make_body("a", {.steps = frames - 1})};
  Observation o = record(scenarios[0], 1, 0, 1);
  for (Index f = 0; f < frames; ++f) pithball::sim::flat(o.positions[f]) += e.col(f);
  o.noise.sigma.setConstant(std::nan(""));
  take_sigma(estimate_track_noise("a", o), o);
  const double sigma = o.noise.sigma[0];
  const Eigen::MatrixXd rows = (off - e) / sigma;
  const pithball::sim::Vector r = Eigen::Map<const pithball::sim::Vector>(rows.data(), rows.size());
  const std::vector<RecordingWhiteness> whiteness = compute_whiteness(scenarios, {o}, r);
  const FitQuality quality = compute_fit_quality(scenarios, {o}, r, whiteness, 2);
  REQUIRE(quality.recordings.size() == 1);
  return std::isnan(quality.recordings[0].noise) ? "" : refuse_noise(quality.recordings[0], whiteness[0]);
}

/// In how many of 40 recordings noise is refused.
int count_refusals(const std::function<std::string(unsigned seed)>& refusal_of) {
  int refused = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) refused += !refusal_of(seed).empty();
  return refused;
}

}  // namespace

TEST_CASE("noise_color: autocorrelated noise explains itself", "[optim][verdict][coverage]") {
  for (const Index frames : {16, 60, 200})
    for (const double phi : {0.0, 0.5, 0.8, 0.9, 0.95}) {
      CAPTURE(frames, phi);
      CHECK(count_refusals([&](unsigned seed) {
              return refusal(correlated_noise(frames, phi, seed), Eigen::MatrixXd::Zero(noise_coordinates, frames));
            }) <= 2);
    }
}

TEST_CASE("noise_color: a motion that goes astray smoothly is no noise, though its residuals are correlated",
          "[optim][verdict][coverage]") {
  // As of a particle of twice the mass: from the same start, out of step by and by; χ² is about 30. In many more frames
  // it looks like slow noise beside independent one.
  constexpr Index frames = 16;
  Eigen::MatrixXd off(noise_coordinates, frames);
  for (Index f = 0; f < frames; ++f)
    for (Index k = 0; k < noise_coordinates; ++k) {
      const double t = static_cast<double>(f) / static_cast<double>(frames - 1);
      off(k, f) = 22 * size_of_noise * t * t * std::sin(5 * t + static_cast<double>(k));
    }
  CHECK(count_refusals([&](unsigned seed) { return refusal(correlated_noise(frames, 0, seed), off); }) >= 36);
}

TEST_CASE("noise_color: what begins within the recording is no noise", "[optim][verdict][coverage]") {
  // As of two markers whose names are exchanged from the middle on, beside two that are right.
  constexpr Index frames = 80;
  Eigen::MatrixXd off = Eigen::MatrixXd::Zero(noise_coordinates, frames);
  for (Index f = frames / 2; f < frames; ++f)
    for (Index k = 0; k < 6; ++k)
      off(k, f) =
          (k < 3 ? 10 : -10) * size_of_noise * std::cos(0.1 * static_cast<double>(f) + static_cast<double>(k % 3));
  CHECK(count_refusals([&](unsigned seed) { return refusal(correlated_noise(frames, 0, seed), off); }) == 40);
  const std::string said = refusal(correlated_noise(frames, 0, 1), off);
  INFO(said);
  CHECK(said.find("in the first half") != std::string::npos);
}

TEST_CASE("verdict: slow noise of a body at rest is no misfit above its motion", "[optim][verdict][coverage]") {
  const auto is_called_larger = [](const Eigen::MatrixXd& e) {
    const Index frames = e.cols();
    const std::vector<diff::Scenario> scenarios{make_body("a", {.steps = frames - 1})};
    Observation o = record(scenarios[0], 1, 0, 1);
    const pithball::sim::Points rest = o.positions.front();
    for (Index f = 0; f < frames; ++f) {
      o.positions[f] = rest;
      pithball::sim::flat(o.positions[f]) += e.col(f);
    }
    o.noise.sigma.setConstant(size_of_noise);
    o.noise.origin = SigmaOrigin::Written;
    const Eigen::MatrixXd rows = -e / size_of_noise;
    const pithball::sim::Vector r = Eigen::Map<const pithball::sim::Vector>(rows.data(), rows.size());
    GoodnessOfFit goodness;
    goodness.whiteness = compute_whiteness(scenarios, {o}, r);
    goodness.quality = compute_fit_quality(scenarios, {o}, r, goodness.whiteness, 2);
    for (RecordingMisfit& one : goodness.quality.recordings) one.noise = std::nan("");  // as if nothing else were known
    RecordingErrors errors;
    errors.recording = "a";
    errors.all.samples = 4 * frames;
    errors.all.model = errors.all.static_baseline = errors.all.constant_velocity = size_of_noise;
    goodness.errors.recordings = {errors};
    const RunVerdict verdict =
        judge_fit({MinimizerStatus::Converged, "the gradient is below its tolerance", 1, false, {}, goodness});
    return verdict.why.find("more than the motion about the mean") != std::string::npos;
  };
  for (const Index frames : {16, 60, 200})
    for (const double phi : {0.5, 0.8, 0.95, 0.99}) {
      int called = 0;
      for (unsigned seed = 1; seed <= 40; ++seed) called += is_called_larger(correlated_noise(frames, phi, seed));
      CAPTURE(frames, phi);
      CHECK(called <= 1);
    }
}
