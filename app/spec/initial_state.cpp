#include "app/spec/initial_state.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <tuple>

#include "sim/core/dense.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

/// How many frames the start is taken from: enough to average noise, few enough that a parabola describes the motion.
constexpr Index frames_at_start = 7;

/// Position and velocity at simulated time 0 of one component of a marker: the parabola through its first samples (a
/// line through two, rest at one); nothing if the recording never shows it.
std::optional<std::pair<double, double>> find_start(const optim::Observation& seen, Index marker, Index component) {
  std::vector<double> times, samples;
  for (std::size_t f = 0; f < seen.times.size() && static_cast<Index>(samples.size()) < frames_at_start; ++f) {
    const double sample = seen.recording_frame.to_model(seen.place(f, marker))[component];
    if (!std::isfinite(sample)) continue;
    times.push_back(seen.simulated_time(f));
    samples.push_back(sample);
  }
  if (samples.empty()) return {};
  return value_and_slope(times, samples, samples.size() >= 4 ? 2 : 1);
}

/// Places every particle that a marker of its own shows, in the components that it shows.
void place_from_recording(Recording& recording) {
  if (recording.observation.instrument) return;  // readings are no places
  sim::State& state = recording.scenario.initial;
  for (std::size_t m = 0; m < recording.observation.markers.size(); ++m) {
    const auto& vertices = recording.observation.markers[m].vertices;
    if (vertices.size() != 1) continue;
    const Index i = vertices.front().first;
    for (Index a = 0; a < 3; ++a) {
      const auto start = find_start(recording.observation, m, a);
      if (!start) continue;
      if (recording.scenario.model.is_held(i)) continue;
      std::tie(state.x(a, i), state.v(a, i)) = *start;
    }
  }
}

}  // namespace

std::pair<double, double> value_and_slope(const std::vector<double>& times, const std::vector<double>& samples,
                                          Index degree) {
  const Index n = samples.size();
  degree = std::min(degree, n - 1);
  double unit = 0;  // the longest time: powers of a short one would count as rounding
  for (const double time : times) unit = std::max(unit, std::abs(time));
  if (unit == 0) unit = 1;
  Eigen::MatrixXd basis(n, degree + 1);
  for (Index k = 0; k < n; ++k)
    for (Index d = 0; d <= degree; ++d) basis(k, d) = std::pow(times[k] / unit, static_cast<double>(d));
  const Vector fit = sim::solve_least_squares(basis, Eigen::Map<const Vector>(samples.data(), n)).X;
  return {fit[0], degree > 0 ? fit[1] / unit : 0.0};
}

std::string seen_components(const optim::Observation& seen) {
  if (seen.instrument) return "xyz";
  std::string components;
  for (Index a = 0; a < 3; ++a) {
    bool any = false;
    for (std::size_t f = 0; f < seen.times.size() && !any; ++f)
      for (Index m = 0; m < static_cast<Index>(seen.markers.size()) && !any; ++m)
        any = std::isfinite(seen.recording_frame.to_model(seen.sight(f, m))[a]);
    if (any) components += "xyz"[a];
  }
  return components;
}

void set_initial_state(Recording& recording) {
  switch (recording.initial_state) {
    case InitialStateKind::FromSystem:
    case InitialStateKind::FromRecording:  // once the noise is known: settle_starts
      break;
    case InitialStateKind::Free:
      place_from_recording(recording);
      break;
    case InitialStateKind::Equilibrium:
      recording.scenario.rest_near = recording.scenario.initial.x;
      recording.scenario.initial.x.setZero();  // displacement from rest
      break;
  }
}

bool is_declared(const std::vector<optim::Parameter>& parameters, const char* value, Index recording) {
  return std::ranges::any_of(parameters, [&](const optim::Parameter& p) {
    return p.value == value && !p.is_nuisance &&
           (p.scenarios.empty() || std::ranges::find(p.scenarios, recording) != p.scenarios.end());
  });
}

namespace {

/// One number for each component of each particle of this recording alone.
optim::Parameter start_parameter(const char* value, Index recording) {
  optim::Parameter parameter;
  parameter.value = value;
  parameter.entries = optim::EntrySharing::None;
  parameter.recordings = optim::RecordingSharing::Each;
  parameter.scenarios = {recording};
  parameter.is_nuisance = true;
  return parameter;
}

/// A declaration for each number, because each has a prior of its own; all with one scale.
void add_believed_start(const Recording& recording, const char* value, Index index,
                        std::vector<optim::Parameter>& parameters) {
  const bool is_position = value == std::string_view("position");
  const sim::State& state = recording.scenario.initial;
  double scale = 0;
  for (const StartBelief& belief : recording.start_beliefs) {
    const double start = (is_position ? state.x : state.v)(belief.component, belief.particle);
    scale = std::max({scale, std::abs(start), is_position ? belief.position_deviation : belief.velocity_deviation});
  }
  for (const StartBelief& belief : recording.start_beliefs) {
    optim::Parameter& parameter = parameters.emplace_back(start_parameter(value, index));
    parameter.components = "xyz"[belief.component];
    parameter.selected = {belief.particle};
    parameter.scale = scale;
    const double deviation = is_position ? belief.position_deviation : belief.velocity_deviation;
    const double mean = (is_position ? state.x : state.v)(belief.component, belief.particle);
    if (deviation > 0) parameter.priors = {optim::GaussianPrior{mean, deviation}};
  }
}

}  // namespace

void add_free_initial_state(const Recording& recording, Index index, std::vector<optim::Parameter>& parameters) {
  for (const char* value : {"position", "velocity"}) {
    if (is_declared(parameters, value, index)) continue;
    add_believed_start(recording, value, index, parameters);
    if (recording.initial_state != InitialStateKind::Free) continue;
    optim::Parameter parameter = start_parameter(value, index);
    parameter.components = seen_components(recording.observation);
    for (Index i = 0; i < recording.scenario.model.particles(); ++i)
      if (!recording.scenario.model.is_held(i)) parameter.selected.push_back(i);
    if (!parameter.selected.empty()) parameters.push_back(std::move(parameter));
  }
}

}  // namespace pithball::app
