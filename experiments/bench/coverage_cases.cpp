#include "experiments/bench/coverage_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiments/bench/coverage_bench.hpp"
#include "sim/core/counter_noise.hpp"

namespace pithball::experiments {
namespace {

/// Returns the charged chain, recorded by each measurement kind. The camera looks along y from two meters away.
std::vector<CoverageCase> kind_cases() {
  const auto kind = [](std::string name, double sigma, std::string measurement, std::string fitted = "") {
    CoverageCase one{
        std::move(name), "charged chain", fitted.empty() ? measurement : std::move(fitted), "none", {.own = sigma}};
    one.least = 0.925;
    one.most = 0.975;
    one.is_flawless = true;
    one.measurement = std::move(measurement);
    return one;
  };
  const std::string camera =
      "measurement: {camera: {focal_length: 1000 px, image_size: [1280, 720]}}, markers: [0, 1, 2, 3]";
  const std::string place = "rotation: [-1.5707963267948966, 0, 0], translation: [0.2, -2, -0.2]";
  const std::string about = "about: [0, 1, 0]";
  return {
      kind("camera", 0.5, camera + ", placement: {" + place + "}"),
      kind("camera, pose fitted", 0.5, camera + ", placement: {" + place + "}",
           camera + ", placement: {" + place + ", fit: both}"),
      kind("angle", 5e-3,
           "measurement: {angle: {segments: [{segment: [0, 1], " + about + "}, {segment: [1, 2], " + about + "}]}}"),
      kind("distance", 2e-3, "measurement: {distance: {between: [[0, 1], [1, 2], [2, 3]]}}"),
      kind("velocity", 0.02, "measurement: velocity, markers: [2, 3]"),
      kind("acceleration", 0.5, "measurement: acceleration, markers: [2, 3]"),
      kind("force", 0.02, "measurement: force, markers: [top]"),
  };
}

std::vector<CoverageCase> make_cases() {
  const auto white = [](std::string name, std::string body, std::string recording) {
    return CoverageCase{std::move(name), std::move(body), std::move(recording), "none", {}, 0.925, 0.975, true};
  };
  const auto colored = [](std::string name, RecordingNoise noise) {
    return CoverageCase{std::move(name), "chain", "", "none", noise};
  };
  std::vector<CoverageCase> cases{
      white("known start", "chain", ""),
      white("known start", "net", ""),
      white("known start", "charges", ""),
      white("free start", "chain", "initial_state: free"),
      white("start from the recording", "chain", "initial_state: from_recording"),
      white("registered start", "net", "placement: {register: true}"),
      colored("noise common to the markers", {.own = 0.2e-3, .common = 2e-3}),
      colored("colored noise, 0.5", {.persistence = 0.5}),
      colored("colored noise, 0.9", {.persistence = 0.9}),
      colored("colored noise, 0.9, common", {.own = 0.2e-3, .common = 2e-3, .persistence = 0.9}),
  };
  for (const int frames : {60, 16}) {
    const std::string few = fmt::format("free start, {} frames", frames);
    CoverageCase one = white(few, "chain", "initial_state: free");
    one.filming.frames = frames;
    one.most = 0.99;  // with few frames, intervals are somewhat wider
    if (frames < 60) one.least = 0.9;
    cases.push_back(one);
    CoverageCase common = colored(few + ", common noise", {.own = 0.2e-3, .common = 2e-3});
    common.recording = one.recording;
    common.filming = one.filming;
    if (frames < 60) common.least = 0.9;
    cases.push_back(common);
    common.name = few + ", common colored noise, 0.5";
    common.noise.persistence = 0.5;
    cases.push_back(common);
  }
  for (const RecordingFault& fault : recording_faults()) {
    CoverageCase one = colored(fault.name, {});
    one.fault = &fault;
    one.least = 0.9;
    cases.push_back(one);
  }
  for (const int recordings : {2, 3}) {
    CoverageCase one = colored(fmt::format("{} recordings that differ", recordings), {});
    one.filming = {.recordings = recordings, .differing = 0.02};
    // In 13 % of the trials, the two recordings differ too little to be distinguished, and the intervals then mostly
    // miss the truth.
    one.least = recordings == 2 ? 0.85 : 0.9;
    cases.push_back(one);
  }
  for (CoverageCase& one : kind_cases()) cases.push_back(std::move(one));
  for (const char* loss : {"huber", "cauchy"})
    for (const double share : {0.1, 0.2})
      cases.push_back({fmt::format("{:g} % outliers, {}", 100 * share, loss), "chain", "", loss, {.outliers = share}});
  return cases;
}

}  // namespace

const std::vector<CoverageCase>& coverage_cases() {
  static const std::vector<CoverageCase> cases = make_cases();
  return cases;
}

namespace {

using datasets::Capture;
using sim::Index;
using sim::Points;
using sim::Vec3;

/// Streams of random numbers of one seed, in addition to those of the noise.
enum FaultStream : std::uint64_t { OffsetSize = 211, DriftSize, HeldPlace };

constexpr double offset_size = 2e-3, drift_size = 6e-3, lateness = 2e-3;  // [m], [m], [s]

Vec3 drawn(std::uint64_t seed, FaultStream stream) {
  const sim::CounterNoise noise(seed, stream);
  return {noise.normal(0, 0, 0), noise.normal(0, 0, 1), noise.normal(0, 0, 2)};
}

void shift_all(Capture& seen, std::uint64_t seed) {
  for (Points& x : seen.positions) x.colwise() += offset_size * drawn(seed, OffsetSize);
}

void drift_slowly(Capture& seen, std::uint64_t seed) {
  const double length = seen.time[seen.time.size() - 1] - seen.time[0];
  for (Index f = 0; f < seen.frames(); ++f)
    seen.positions[f].colwise() += drift_size * ((seen.time[f] - seen.time[0]) / length - 0.5) * drawn(seed, DriftSize);
}

/// Applies a moving average over five frames; over fewer frames at the ends, symmetrically.
void average(Capture& seen, std::uint64_t) {
  const std::vector<Points> x = seen.positions;
  const Index frames = seen.frames();
  for (Index f = 0; f < frames; ++f) {
    const Index reach = std::min({Index{2}, f, frames - 1 - f});
    Points sum = Points::Zero(3, x[f].cols());
    for (Index g = f - reach; g <= f + reach; ++g) sum += x[g];
    seen.positions[f] = sum / static_cast<double>(2 * reach + 1);
  }
}

void double_frames(Capture& seen, std::uint64_t) {
  for (Index f = 1; f < seen.frames(); f += 2) seen.positions[f] = seen.positions[f - 1];
}

/// Loses each marker four times for two to four frames, in which it keeps its last position.
void hold(Capture& seen, std::uint64_t seed) {
  const sim::CounterNoise places(seed, HeldPlace);
  constexpr Index longest = 4, often = 4;
  const Index room = seen.frames() - longest - 2;
  for (Index m = 0; m < seen.positions[0].cols(); ++m)
    for (Index k = 0; k < often; ++k) {
      const auto first = 2 + static_cast<Index>(places.uniform(m, 2 * k) * static_cast<double>(room));
      const Index length = 2 + static_cast<Index>(places.uniform(m, 2 * k + 1) * 3);
      for (Index f = first; f < first + length; ++f) seen.positions[f].col(m) = seen.positions[first - 1].col(m);
    }
}

void delay_clock(Capture& seen, std::uint64_t) { seen.time.array() += lateness; }

}  // namespace

const std::vector<RecordingFault>& recording_faults() {
  static const std::vector<RecordingFault> faults{
      {"offset of 2 mm", shift_all, {"placement_translation", "seems shifted"}},
      {"drift of 6 mm", drift_slowly, {"drift"}},
      {"mean over five frames", average, {"smoothing"}},
      {"every frame twice", double_frames, {"repeat the frame before"}},
      {"held stretches", hold, {"repeat the position before", "repeat the frame before"}},
      {"clock 2 ms late", delay_clock, {"clock_offset"}},
  };
  return faults;
}

}  // namespace pithball::experiments
