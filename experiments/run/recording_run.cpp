#include "experiments/run/recording_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/run/progress.hpp"
#include "experiments/version.hpp"
#include "sim/core/counter_noise.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {
namespace {

/// Streams of random numbers of one seed.
enum Purpose : std::uint64_t { Coordinates, Losses, Gaps };

Index steps_per_frame(const Filming& filming, double time_step) {
  const double steps = 1 / (filming.rate * time_step), whole = std::round(steps);
  if (whole < 1 || std::abs(steps - whole) > 1e-6 * whole)
    throw InvalidArgument(
        {"", "--rate", "must put every frame on a time step",
         fmt::format("{:.6g} steps of {:g} s between frames", steps, time_step),
         fmt::format("give {:g}, or change simulation.time_step", 1 / (std::max(1.0, whole) * time_step))});
  return static_cast<Index>(whole);
}

Index gap_frames(const Filming& filming, Index frames) {
  const auto length = static_cast<Index>(std::lround(filming.gap * filming.rate));
  if (filming.gap > 0 && length < 1)
    throw InvalidArgument({"", "--gap", "must last at least one frame", fmt::format("{:g} s", filming.gap),
                           "lengthen it, or leave it out"});
  if (length >= frames)
    throw InvalidArgument({"", "--gap", "must be shorter than the film", fmt::format("{} of {} frames", length, frames),
                           "shorten it, or simulate longer"});
  return length;
}

/// Adds noise and takes samples away; returns how many are gone.
Index spoil(datasets::Capture& capture, const Filming& filming, Index gap) {
  const sim::CounterNoise coordinates(filming.seed, Coordinates), losses(filming.seed, Losses),
      gaps(filming.seed, Gaps);
  const Index frames = capture.frames();
  Index gone = 0;
  for (std::size_t m = 0; m < filming.particles.size(); ++m) {
    const auto hidden_from = static_cast<Index>(gaps.uniform(0, m) * static_cast<double>(frames - gap + 1));
    for (Index f = 0; f < frames; ++f) {
      auto point = capture.positions[static_cast<std::size_t>(f)].col(static_cast<Index>(m));
      for (int a = 0; a < 3; ++a)
        point[a] += filming.noise * coordinates.normal(static_cast<std::uint64_t>(f), m, static_cast<std::uint64_t>(a));
      const bool hidden = f >= hidden_from && f < hidden_from + gap;
      if (!hidden && losses.uniform(static_cast<std::uint64_t>(f), m) >= filming.missing) continue;
      point.setConstant(std::numeric_limits<double>::quiet_NaN());
      capture.present[static_cast<std::size_t>(f)][m] = false;
      ++gone;
    }
  }
  return gone;
}

/// "charge 6e-08 C, stiffness 10 to 20 N/m": what a fit could look for.
std::string true_values(const sim::Values& values) {
  std::string text;
  for (Index k = 0; k < static_cast<Index>(values.blocks().size()); ++k) {
    const sim::ValueBlock& block = values.block(k);
    if (block.size == 0) continue;
    const double low = values[k].minCoeff(), high = values[k].maxCoeff();
    text += fmt::format("{}{} {:.12g}{}{}{}", text.empty() ? "" : ", ", block.name, low,
                        high > low ? fmt::format(" to {:.12g}", high) : "", block.unit.empty() ? "" : " ", block.unit);
  }
  return text;
}

std::string describe(const Experiment& experiment, const Filming& filming, const std::string& file, Index gap,
                     Index gone, Index frames) {
  const diff::Scenario& scenario = experiment.scenario;
  const auto samples = frames * static_cast<Index>(filming.particles.size());
  std::string text =
      fmt::format("Simulated, not filmed: made by `pithball record` (version {}) from {}.\n", version, file);
  text += fmt::format("Simulation: {}, {} steps of {:g} s. Film: {} frames, {:g} a second; markers on particles {}.\n",
                      scenario.integrator.name(), scenario.steps, scenario.time_step, frames, filming.rate,
                      fmt::join(filming.particles, ", "));
  text += fmt::format("Noise: normal, independent, {:g} m standard deviation of each coordinate; seed {}.\n",
                      filming.noise, filming.seed);
  text += fmt::format(
      "Missing: {} of {} samples. Each was lost with probability {:g}; each marker was also hidden once for {} "
      "frames.\n",
      gone, samples, filming.missing, gap);
  return text + "True values: " + true_values(scenario.model.values()) + ".";
}

}  // namespace

Film film(const Experiment& experiment, const Filming& filming, const std::string& file, bool progress) {
  const diff::Scenario& scenario = experiment.scenario;
  const Index every = steps_per_frame(filming, scenario.time_step), frames = scenario.steps / every + 1;
  const Index gap = gap_frames(filming, frames);
  Film result;
  datasets::Capture& capture = result.capture;
  capture.name = experiment.name;
  for (const Index particle : filming.particles) capture.markers.push_back(std::to_string(particle));
  capture.time = Vector::LinSpaced(frames, 0, static_cast<double>(frames - 1)) / filming.rate;
  capture.present.assign(static_cast<std::size_t>(frames), std::vector<bool>(filming.particles.size(), true));
  {
    Progress bar("record " + experiment.name, static_cast<double>(scenario.steps), progress);
    const auto keep = [&](Index step, const sim::State& state) {
      bar.update(static_cast<double>(step));
      if (step % every == 0) capture.positions.push_back(state.x(Eigen::all, filming.particles));
    };
    const diff::RolloutStatus status = diff::run_forward(scenario, keep);
    if (!status.ok()) {
      result.explanation =
          diff::to_string(status) + ": shorten simulation.time_step or choose another integrator";
      return result;
    }
  }
  const Index gone = spoil(capture, filming, gap);
  result.comment = describe(experiment, filming, file, gap, gone, frames);
  return result;
}

}  // namespace pithball::experiments
