#include "app/run/planned_recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/base/version.hpp"
#include "app/run/spoiled_capture.hpp"
#include "app/spec/row_delay.hpp"
#include "optim/observation/marker_tracks.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

const Recording& find_planned(const FitSpec& spec, const std::string& name) {
  std::vector<std::string> planned;
  for (const Recording& recording : spec.recordings) {
    if (!recording.planned) continue;
    if (recording.name == name) return recording;
    planned.push_back("'" + recording.name + "'");
  }
  throw InvalidArgument({"", "--recording", "must be the name of a planned recording", "'" + name + "'",
                         planned.empty() ? "write `planned: {rate: 25, duration: 2 s}` under fit.recordings"
                                         : fmt::format("choose {}", fmt::join(planned, " or "))});
}

std::string describe(const Recording& recording, const PlannedRecordingSettings& settings, const std::string& source,
                     Index gone) {
  const diff::Scenario& scenario = recording.own.scenario;
  const optim::Observation& seen = recording.observation;
  std::string sigmas;
  for (std::size_t a = 0; a < recording.kind->components.size(); ++a)
    sigmas += fmt::format("{}{} {:g}", a ? ", " : "", recording.kind->components[a],
                          settings.noise * seen.noise.component_sigma(0, static_cast<int>(a)));
  return fmt::format(
      "Simulated, not measured: written by `pithball record` (version {}) from {}, recording '{}'.\n"
      "Measurement: {} [{}]. Simulation: {}, {} steps of {:g} s. {} frames.\n"
      "Noise: normal, independent; standard deviation {} {} (first marker); seed {}. Missing: {} samples.",
      version, source, recording.name, recording.kind->name, recording.kind->unit, scenario.integrator.name(),
      scenario.steps, scenario.time_step, seen.times.size(), sigmas, recording.kind->unit, settings.seed, gone);
}

/// What the recording would show. Where a reading is delayed by its own row, this is a fixed point, in each round
/// nearer by row_time times the speed of the image in rows, far below 1.
optim::MarkerTracks simulate_tracks(const Recording& recording) {
  optim::Observation seen = recording.observation;
  diff::Scenario scenario = recording.own.scenario;
  optim::MarkerTracks tracks = optim::compute_tracks(scenario, seen);
  constexpr int rounds = 8;
  for (int round = 0; round < rounds && seen.instrument && tracks.failure.empty(); ++round) {
    seen.positions = tracks.model;
    const optim::Delay delay = largest_delay(seen);
    const double latest = delay.count * seen.recording_frame.values()[delay.value];
    if (latest == 0) break;
    scenario.steps =
        recording.own.scenario.steps + static_cast<Index>(std::ceil(std::max(latest, 0.0) / scenario.time_step));
    tracks = optim::compute_tracks(scenario, seen);
  }
  return tracks;
}

}  // namespace

MadeRecording record_planned(const FitSpec& spec, const PlannedRecordingSettings& settings, const std::string& source) {
  const Recording& recording = find_planned(spec, settings.recording);
  const optim::Observation& seen = recording.observation;
  const optim::MarkerTracks tracks = simulate_tracks(recording);
  MadeRecording made{recording.motion.capture, "", tracks.failure};
  if (!made.explanation.empty()) return made;
  made.capture.components = recording.kind->components;
  const auto count = static_cast<Index>(seen.markers.size());
  Spoiling spoiling{.sigma = Points::Zero(3, count), .missing = settings.missing, .gap = 0, .seed = settings.seed};
  for (Index m = 0; m < count; ++m) {
    made.capture.markers[m] = std::to_string(m);
    for (int a = 0; a < 3; ++a) spoiling.sigma(a, m) = settings.noise * seen.noise.component_sigma(m, a);
  }
  for (std::size_t f = 0; f < made.capture.positions.size(); ++f) {
    made.capture.positions[f] = seen.instrument ? tracks.model[f] : seen.recording_frame.to_recorded(tracks.model[f]);
    if (made.capture.positions[f].topRows(static_cast<Index>(made.capture.components.size())).array().isNaN().any())
      made.explanation =
          "a marker cannot be measured in every frame: it is out of the camera's view, or two points meet";
  }
  const Index gone = spoil(spoiling, made.capture);
  made.comment = describe(recording, settings, source, gone);
  return made;
}

}  // namespace pithball::app
