#include "app/run/recording_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "app/base/interruption.hpp"
#include "app/base/new_file.hpp"
#include "app/base/progress.hpp"
#include "app/base/version.hpp"
#include "app/experiment/recording/recording.hpp"
#include "app/run/run_judge.hpp"
#include "app/run_folder/kept_states.hpp"
#include "datasets/capture/capture.hpp"
#include "datasets/capture/capture_reader.hpp"
#include "datasets/trajectory/h5md_reader.hpp"
#include "optim/observation/marker_tracks.hpp"
#include "sim/core/counter_noise.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

/// Imperfections that an instrument adds to exact samples.
struct Spoiling {
  sim::Points sigma;       ///< standard deviation of each component of each marker, 3×M; normal and independent
  double missing = 0;      ///< probability that a sample is missing, independently; 0 <= missing < 1
  sim::Index gap = 0;      ///< each marker loses this many successive frames, from a random one on
  std::uint64_t seed = 1;  ///< same seed, same noise and gaps
};

/// Adds noise and removes samples; returns the number of removed samples. The effect on a sample depends only on seed,
/// frame, marker and component.
sim::Index spoil(const Spoiling& spoiling, datasets::Capture& capture);

namespace {

/// Streams of random numbers of one seed.
enum Purpose : std::uint64_t { Coordinates, Losses, Gaps };

}  // namespace

sim::Index spoil(const Spoiling& spoiling, datasets::Capture& capture) {
  using sim::Index;
  const sim::CounterNoise coordinates(spoiling.seed, Coordinates), losses(spoiling.seed, Losses),
      gaps(spoiling.seed, Gaps);
  const Index frames = capture.frames(), gap = spoiling.gap;
  Index gone = 0;
  for (std::size_t m = 0; m < capture.markers.size(); ++m) {
    const auto hidden_from = static_cast<Index>(gaps.uniform(0, m) * static_cast<double>(frames - gap + 1));
    for (Index f = 0; f < frames; ++f) {
      auto point = capture.positions[f].col(m);
      for (int a = 0; a < 3; ++a) point[a] += spoiling.sigma(a, static_cast<Index>(m)) * coordinates.normal(f, m, a);
      const bool hidden = f >= hidden_from && f < hidden_from + gap;
      if (!hidden && losses.uniform(f, m) >= spoiling.missing) continue;
      point.setConstant(std::numeric_limits<double>::quiet_NaN());
      capture.present[f][m] = false;
      ++gone;
    }
  }
  return gone;
}

namespace fs = std::filesystem;

namespace {

Index steps_per_frame(const RecordingSettings& settings, double time_step) {
  const double steps = 1 / (settings.rate * time_step), whole = std::round(steps);
  if (whole < 1 || std::abs(steps - whole) > 1e-6 * whole)
    throw InvalidArgument(
        {"", "--rate", "must be a frame rate whose interval is a whole number of time steps",
         fmt::format("{:.6g} steps of {:g} s between frames", steps, time_step),
         fmt::format("give {:g}, or change simulation.time_step", 1 / (std::max(1.0, whole) * time_step))});
  return static_cast<Index>(whole);
}

Index gap_frames(const RecordingSettings& settings, Index frames) {
  const auto length = static_cast<Index>(std::lround(settings.gap * settings.rate));
  if (settings.gap > 0 && length < 1)
    throw InvalidArgument(
        {"", "--gap", "must last at least one frame", fmt::format("{:g} s", settings.gap), "increase it, or omit it"});
  if (length >= frames)
    throw InvalidArgument({"", "--gap", "must be shorter than the recording",
                           fmt::format("{} of {} frames", length, frames), "reduce it, or simulate longer"});
  return length;
}

Index spoil_recording(datasets::Capture& capture, const RecordingSettings& settings, Index gap) {
  const auto markers = static_cast<Index>(capture.markers.size());
  return spoil({Points::Constant(3, markers, settings.noise), settings.missing, gap, settings.seed}, capture);
}

/// "6e-08", "10 to 20", or a vector: "(0, 0, -9.81)".
std::string range_text(const sim::ValueBlock& block, const Vector& values) {
  if (block.is_vector()) return fmt::format("({:.12g})", fmt::join(values, ", "));
  const double low = values.minCoeff(), high = values.maxCoeff();
  if (low == high) return fmt::format("{:.12g}", low);
  return fmt::format("{:.12g} to {:.12g}", low, high);
}

/// "charge 6e-08 C, stiffness 10 to 20 N/m": the true values that a fit could estimate; masses are those without the
/// known payload.
std::string true_values(const sim::Values& values, const Vector& payload) {
  std::string text;
  const auto add = [&](std::string_view name, const sim::ValueBlock& block, const Vector& own) {
    text += fmt::format("{}{} {}{}{}", text.empty() ? "" : ", ", name, range_text(block, own),
                        block.unit.empty() ? "" : " ", block.unit);
  };
  for (Index k = 0; k < static_cast<Index>(values.blocks().size()); ++k) {
    const sim::ValueBlock& block = values.block(k);
    if (block.size == 0) continue;
    const bool is_laden = block.name == "mass" && payload.any();
    add(block.name, block, is_laden ? Vector(values[k] - payload) : Vector(values[k]));
    if (is_laden) add("payload", block, payload);
  }
  return text;
}

std::string describe(const Experiment& experiment, const RecordingSettings& settings, const std::string& file,
                     Index gap, Index gone, Index frames) {
  const diff::Scenario& scenario = experiment.scenario;
  const auto samples = frames * static_cast<Index>(settings.particles.size());
  std::string text =
      fmt::format("Simulated, not measured: written by `pithball record` (version {}) from {}.\n", version, file);
  text += fmt::format(
      "Simulation: {}, {} steps of {:g} s. Recording: {} frames, {:g} per second; markers on particles {}.\n",
      scenario.integrator.name(), scenario.steps, scenario.time_step, frames, settings.rate,
      fmt::join(settings.particles, ", "));
  text += fmt::format("Noise: normal, independent, {:g} m standard deviation of each coordinate; seed {}.\n",
                      settings.noise, settings.seed);
  text += fmt::format("Missing: {} of {} samples.", gone, samples);
  if (settings.missing > 0) text += fmt::format(" Each was dropped with probability {:g}.", settings.missing);
  if (gap > 0) text += fmt::format(" Each marker has one gap of {} frame{}.", gap, gap == 1 ? "" : "s");
  text += "\n";
  return text + "True values: " + true_values(scenario.model.values(), experiment.body.known_mass.payload) + ".";
}

/// Simulates the steps that are not in an earlier part of the run, and keeps the frames.
optim::RunVerdict simulate_frames(const Experiment& experiment, RunFolder& folder, bool progress) {
  const diff::Scenario& scenario = experiment.scenario;
  KeptStates states(folder, experiment);
  Progress bar("record " + experiment.name, scenario.steps, progress);
  Index step = 0;
  double time = 0;
  const auto observe = [&](Index n, const sim::State& state, const sim::StepRecord&, const sim::EnergyRow* kept) {
    const sim::Stoppable whole(nullptr);  // the work after a step must not be interrupted
    if (kept) states.keep(state, *kept, nullptr);
    step = n;
    time = state.t;
    bar.update(n);
    return !Interruption::flag();
  };
  sim::RunEnd end;
  end.complete = false;
  end_unless_interrupted([&] {
    end = sim::run(scenario.model, states.last() ? states.last()->state : scenario.initial, run_options(experiment),
                   observe, states.earlier_rows());
  });
  states.finish(end.complete);
  return verdict_on_end(end.status, step, time, scenario);
}

/// Returns a capture with this number of frames, without samples.
datasets::Capture blank_capture(const std::string& name, const RecordingSettings& settings, Index frames) {
  datasets::Capture capture;
  capture.name = name;
  for (const Index particle : settings.particles) capture.markers.push_back(std::to_string(particle));
  capture.time = Vector::LinSpaced(frames, 0, frames - 1) / settings.rate;
  capture.present.assign(frames, std::vector<bool>(settings.particles.size(), true));
  return capture;
}

void read_frames(const fs::path& file, const RecordingSettings& settings, Index every, datasets::Capture& capture) {
  datasets::H5mdPages pages{datasets::H5mdReader(file.string())};
  for (std::size_t k = 0; k < pages.size(); ++k)
    if (pages[k].step % every == 0) capture.positions.push_back(pages[k].state.x(Eigen::all, settings.particles));
}

/// Writes the recording to a draft on the same disk, then renames the draft, which is atomic.
void publish(const MadeRecording& made, const fs::path& draft, const fs::path& target, bool overwrite) {
  datasets::write_capture_csv(made.capture, draft.string(), made.comment);
  flush_to_disk(draft);
  if (renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, target.c_str(), overwrite ? 0 : RENAME_NOREPLACE) != 0)
    throw std::runtime_error(fmt::format("cannot write {}: {}", target.string(), std::strerror(errno)));
  flush_to_disk(fs::absolute(target).parent_path());
}

}  // namespace

MadeRecording record_motion(const Experiment& experiment, const RecordingSettings& settings,
                            const std::string& source) {
  const diff::Scenario& scenario = experiment.scenario;
  const Index every = steps_per_frame(settings, scenario.time_step), frames = scenario.steps / every + 1;
  const Index gap = gap_frames(settings, frames);
  MadeRecording result{blank_capture(experiment.name, settings, frames), "", ""};
  const auto expose = [&](Index step, const sim::State& state) {
    if (step % every == 0) result.capture.positions.push_back(state.x(Eigen::all, settings.particles));
  };
  if (const diff::RolloutStatus status = diff::run_forward(scenario, expose); !status.ok()) {
    result.explanation = diff::to_string(status);
    return result;
  }
  const Index gone = spoil_recording(result.capture, settings, gap);
  result.comment = describe(experiment, settings, source, gap, gone, frames);
  return result;
}

MadeRecording run_recording(Experiment experiment, const RecordingSettings& settings, const std::string& source,
                            const RunOrder& order) {
  const diff::Scenario& scenario = experiment.scenario;
  experiment.every = steps_per_frame(settings, scenario.time_step);
  const Index frames = scenario.steps / experiment.every + 1;
  const Index gap = gap_frames(settings, frames);
  const fs::path work = order.target.string() + ".record";
  RunFolder::check(work, order.earlier);
  const Interruption interruption;
  RunFolder folder(work, make_input_record(experiment.filled, order.provenance), order.earlier);
  MadeRecording result;
  if (const optim::RunVerdict end = simulate_frames(experiment, folder, order.progress);
      end.status != optim::RunStatus::Ok) {
    result.explanation = end.explanation();
    if (end.status != optim::RunStatus::Interrupted) folder.abandon();
    return result;
  }
  result.capture = blank_capture(experiment.name, settings, frames);
  read_frames(folder.file("trajectory.h5"), settings, experiment.every, result.capture);
  const Index gone = spoil_recording(result.capture, settings, gap);
  result.comment = describe(experiment, settings, source, gap, gone, frames);
  publish(result, folder.file("recording.csv"), order.target, order.earlier.overwrite);
  folder.abandon();
  return result;
}

void write_recording(const MadeRecording& made, const fs::path& target, bool overwrite) {
  publish(made, target.string() + ".partial", target, overwrite);
}

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

/// Returns the markers as they would be recorded. If the delay of a reading depends on its row, they are the solution
/// of a fixed-point equation; each iteration reduces the error by a factor of row_time times the image speed in rows,
/// far below 1.
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
