#include "experiments/spec/initial_state.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <cmath>

#include "sim/core/error.hpp"

namespace pithball::experiments {
namespace {

/// How many frames the start is taken from: enough to average noise, few enough that a parabola describes the motion.
constexpr Index frames_at_start = 7;

/// Position and velocity at simulated time 0 of marker m: the parabola through its first samples (a line through two,
/// rest at one). False if it is not seen there.
bool start_of_marker(const optim::Observation& seen, Index marker, Vec3& x, Vec3& v) {
  std::vector<double> times;
  std::vector<Vec3> points;
  for (std::size_t f = 0; f < seen.times.size() && static_cast<Index>(points.size()) < frames_at_start; ++f) {
    const Vec3 point = seen.positions[f].col(marker);
    const bool present = seen.present.empty() || seen.present[f][static_cast<std::size_t>(marker)];
    if (!present || !point.allFinite()) continue;
    times.push_back(seen.times[f] + seen.time_offset);
    points.push_back(point);
  }
  if (points.empty()) return false;
  const auto n = static_cast<Index>(points.size());
  const Index degree = n >= 4 ? 2 : n >= 2 ? 1 : 0;
  Eigen::MatrixXd basis(n, degree + 1), values(n, 3);
  for (Index k = 0; k < n; ++k) {
    for (Index d = 0; d <= degree; ++d)
      basis(k, d) = std::pow(times[static_cast<std::size_t>(k)], static_cast<double>(d));
    values.row(k) = points[static_cast<std::size_t>(k)];
  }
  const Eigen::MatrixXd fit = basis.colPivHouseholderQr().solve(values);
  x = fit.row(0);
  v = degree > 0 ? Vec3(fit.row(1)) : Vec3(Vec3::Zero());
  return true;
}

/// Places every particle that a marker of its own shows; returns who was not placed.
std::vector<Index> place_from_recording(Recording& recording) {
  sim::State& state = recording.scenario.initial;
  std::vector<bool> placed(static_cast<std::size_t>(state.x.cols()), false);
  for (std::size_t m = 0; m < recording.observation.markers.size(); ++m) {
    const auto& vertices = recording.observation.markers[m].vertices;
    Vec3 x, v;
    if (vertices.size() != 1 || !start_of_marker(recording.observation, static_cast<Index>(m), x, v)) continue;
    const Index i = vertices.front().first;
    placed[static_cast<std::size_t>(i)] = true;
    if (recording.scenario.model.is_held(i)) continue;
    state.x.col(i) = x;
    state.v.col(i) = v;
  }
  std::vector<Index> missing;
  for (Index i = 0; i < state.x.cols(); ++i)
    if (!placed[static_cast<std::size_t>(i)] && !recording.scenario.model.is_held(i)) missing.push_back(i);
  return missing;
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
    parameter.recordings = optim::RecordingSharing::Each;
    parameter.scenarios = {index};
    for (Index i = 0; i < recording.scenario.model.particles(); ++i)
      if (!recording.scenario.model.is_held(i)) parameter.selected.push_back(i);
    if (!parameter.selected.empty()) parameters.push_back(std::move(parameter));
  }
}

}  // namespace pithball::experiments
