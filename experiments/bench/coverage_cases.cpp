#include <fmt/format.h>

#include <utility>

#include "experiments/bench/coverage_bench.hpp"

namespace pithball::experiments {
namespace {

/// The charged chain as each measurement kind sees it. The camera looks along y, from two meters away.
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
    one.most = 0.99;  // few frames make intervals somewhat wider
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
    // Of two, 13 % lie too close by chance to be told apart, and then their interval is short of their mean in most.
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

}  // namespace pithball::experiments
