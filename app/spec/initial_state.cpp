#include "app/spec/initial_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
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
    const double sample = seen.viewpoint.to_model(seen.sight(f, marker))[component];
    if (!std::isfinite(sample)) continue;
    times.push_back(seen.simulated_time(f));
    samples.push_back(sample);
  }
  if (samples.empty()) return {};
  const Index n = samples.size();
  const Index degree = n >= 4 ? 2 : n >= 2 ? 1 : 0;
  double unit = 0;  // the longest time: powers of a short one would count as rounding
  for (const double time : times) unit = std::max(unit, std::abs(time));
  if (unit == 0) unit = 1;
  Eigen::MatrixXd basis(n, degree + 1);
  for (Index k = 0; k < n; ++k)
    for (Index d = 0; d <= degree; ++d) basis(k, d) = std::pow(times[k] / unit, static_cast<double>(d));
  const Vector fit = sim::solve_least_squares(basis, Eigen::Map<const Vector>(samples.data(), n)).X;
  return std::pair(fit[0], degree > 0 ? fit[1] / unit : 0.0);
}

/// Places every particle that a marker of its own shows, in the components that it shows; returns who was not placed.
std::vector<Index> place_from_recording(Recording& recording) {
  sim::State& state = recording.scenario.initial;
  std::vector<bool> placed(state.x.cols(), false);
  for (std::size_t m = 0; m < recording.observation.markers.size(); ++m) {
    const auto& vertices = recording.observation.markers[m].vertices;
    if (vertices.size() != 1) continue;
    const Index i = vertices.front().first;
    for (Index a = 0; a < 3; ++a) {
      const auto start = find_start(recording.observation, m, a);
      if (!start) continue;
      placed[i] = true;
      if (recording.scenario.model.is_held(i)) continue;
      std::tie(state.x(a, i), state.v(a, i)) = *start;
    }
  }
  std::vector<Index> missing;
  for (Index i = 0; i < state.x.cols(); ++i)
    if (!placed[i] && !recording.scenario.model.is_held(i)) missing.push_back(i);
  return missing;
}

/// The components that the recording shows at all, "xy" for a flat track: the others cannot be free.
std::string seen_components(const optim::Observation& seen) {
  std::string components;
  for (Index a = 0; a < 3; ++a) {
    bool any = false;
    for (std::size_t f = 0; f < seen.times.size() && !any; ++f)
      for (Index m = 0; m < static_cast<Index>(seen.markers.size()) && !any; ++m)
        any = std::isfinite(seen.viewpoint.to_model(seen.sight(f, m))[a]);
    if (any) components += "xyz"[a];
  }
  return components;
}

}  // namespace

void set_initial_state(const Node& node, Recording& recording) {
  switch (recording.initial_state) {
    case InitialStateKind::Given:
      break;
    case InitialStateKind::FromRecording: {
      const std::vector<Index> missing = place_from_recording(recording);
      if (!missing.empty())
        node.refuse("initial_state", "from_recording needs a marker of its own for every free particle",
                    fmt::format("none for particle {}", missing.front()), "use given or rest, or add the marker");
      break;
    }
    case InitialStateKind::Free:
      place_from_recording(recording);
      break;
    case InitialStateKind::Rest:
      recording.scenario.rest_near = recording.scenario.initial.x;
      recording.scenario.initial.x.setZero();  // displacement from rest
      break;
  }
}

void add_free_initial_state(const Recording& recording, Index index, std::vector<optim::Parameter>& parameters) {
  if (recording.initial_state != InitialStateKind::Free) return;
  for (const char* value : {"position", "velocity"}) {
    optim::Parameter parameter;
    parameter.value = value;
    parameter.entries = optim::EntrySharing::None;
    parameter.components = seen_components(recording.observation);
    parameter.recordings = optim::RecordingSharing::Each;
    parameter.scenarios = {index};
    for (Index i = 0; i < recording.scenario.model.particles(); ++i)
      if (!recording.scenario.model.is_held(i)) parameter.selected.push_back(i);
    if (!parameter.selected.empty()) parameters.push_back(std::move(parameter));
  }
}

}  // namespace pithball::app
