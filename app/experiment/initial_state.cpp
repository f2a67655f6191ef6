#include "app/experiment/initial_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "sim/core/dense.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

/// Number of frames from which the start is estimated: enough to average noise, but few enough that a parabola
/// describes the motion.
constexpr Index frames_at_start = 7;

/// Estimates position and velocity of one component of a marker at simulated time 0 by fitting a parabola to its first
/// samples (a line to two or three; a single one is taken as at rest). Returns nothing if the component was never
/// recorded.
std::optional<std::pair<double, double>> find_start(const optim::Observation& seen, Index marker, Index component) {
  std::vector<double> times, samples;
  for (std::size_t f = 0; f < seen.times.size() && static_cast<Index>(samples.size()) < frames_at_start; ++f) {
    const double sample = seen.recording_frame.to_model(seen.place(f, marker))[component];
    if (!std::isfinite(sample)) continue;
    times.push_back(seen.simulated_time(f));
    samples.push_back(sample);
  }
  if (samples.empty()) return {};
  const Eigen::MatrixXd weights = value_and_slope_weights(times, samples.size() >= 4 ? 2 : 1);
  const Eigen::Vector2d start = weights * Eigen::Map<const Vector>(samples.data(), weights.cols());
  return std::pair(start[0], start[1]);
}

/// Sets the position and velocity of each particle that has its own marker, in the components that were recorded.
void place_from_recording(const optim::Observation& seen, diff::Scenario& scenario) {
  if (seen.instrument) return;  // readings are not positions
  for (std::size_t m = 0; m < seen.markers.size(); ++m) {
    const auto& vertices = seen.markers[m].vertices;
    if (vertices.size() != 1 || scenario.model.is_held(vertices.front().first)) continue;
    const Index i = vertices.front().first;
    for (Index a = 0; a < 3; ++a)
      if (const auto start = find_start(seen, m, a))
        std::tie(scenario.initial.x(a, i), scenario.initial.v(a, i)) = *start;
  }
}

InitialStateKind read_initial_state_kind(Node& node) {
  const std::string word =
      node.choice("initial_state", {"from_system", "from_recording", "free", "equilibrium"},
                  "from_system: as under `system`; from_recording: estimated from the first frames, with uncertainty; "
                  "free: fit parameters; equilibrium: the static equilibrium of the model",
                  "from_system");
  return word == "free"          ? InitialStateKind::Free
         : word == "equilibrium" ? InitialStateKind::Equilibrium
         : word == "from_system" ? InitialStateKind::FromSystem
                                 : InitialStateKind::FromRecording;
}

/// Reads `reference`; returns whether displacements from rest are compared.
bool read_reference(Node& node, InitialStateKind start, const Points& rest) {
  const std::string word = node.choice(
      "reference", {"absolute", "rest"},
      "what positions are compared with. absolute: positions themselves; rest: displacements of the model from its "
      "equilibrium, and of the markers from the recording's own rest (`rest_frames`)",
      "absolute");
  if (word != "rest") return false;
  if (start != InitialStateKind::Equilibrium && start != InitialStateKind::FromRecording)
    node.reject("initial_state", "must be equilibrium or from_recording with `reference: rest`",
                start == InitialStateKind::Free ? "free" : "from_system",
                "write `initial_state: from_recording`, or `reference: absolute`");
  if (rest.size() == 0)
    node.reject("reference", "rest requires `rest_frames`", "none", "write `rest_frames: {last: 30}`");
  return true;
}

InitialShape read_initial_shape(Node& node, const InitialState& start) {
  const bool follows = start.kind == InitialStateKind::FromRecording && !start.refers_to_rest;
  if (!node.applies(follows)) {
    if (node.is_written("initial_shape"))
      node.reject("initial_shape", "requires `initial_state: from_recording` and `reference: absolute`",
                  start.refers_to_rest ? "reference: rest" : "another initial state",
                  "remove it, or write `initial_state: from_recording`");
    return InitialShape::Rigid;
  }
  const std::string word = node.choice(
      "initial_shape", {"rigid", "smooth"},
      "with `initial_state: from_recording`: where particles without a marker of their own start. rigid: the body as "
      "under `system`, moved rigidly onto the markers; smooth: that body, deflected smoothly through the markers and "
      "held particles",
      "rigid");
  return word == "smooth" ? InitialShape::Smooth : InitialShape::Rigid;
}

}  // namespace

Eigen::MatrixXd value_and_slope_weights(const std::vector<double>& times, Index degree) {
  const Index n = times.size();
  degree = std::min(degree, n - 1);
  double unit = 0;  // the longest time; unscaled, powers of short times would be lost to rounding
  for (const double time : times) unit = std::max(unit, std::abs(time));
  if (unit == 0) unit = 1;
  Eigen::MatrixXd basis(n, degree + 1);
  for (Index k = 0; k < n; ++k)
    for (Index d = 0; d <= degree; ++d) basis(k, d) = std::pow(times[k] / unit, static_cast<double>(d));
  const Eigen::MatrixXd coefficients = sim::solve_least_squares(basis, Eigen::MatrixXd::Identity(n, n)).X;
  Eigen::MatrixXd weights = Eigen::MatrixXd::Zero(2, n);
  weights.row(0) = coefficients.row(0);
  if (degree > 0) weights.row(1) = coefficients.row(1) / unit;
  return weights;
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

void set_initial_state(InitialStateKind kind, const optim::Observation& seen, diff::Scenario& scenario) {
  switch (kind) {
    case InitialStateKind::FromSystem:
    case InitialStateKind::FromRecording:  // set by settle_starts once the noise is known
      break;
    case InitialStateKind::Free:
      place_from_recording(seen, scenario);
      break;
    case InitialStateKind::Equilibrium:
      scenario.rest_near = scenario.initial.x;
      scenario.initial.x.setZero();  // displacement from rest
      break;
  }
}

InitialState read_initial_state(Node& node, bool is_planned, const Points& rest) {
  InitialState start;
  start.kind = read_initial_state_kind(node);
  if (is_planned && start.kind == InitialStateKind::FromRecording)
    node.reject("initial_state", "must be from_system, free or equilibrium for a planned recording", "from_recording",
                "write the start under `system:`");
  start.refers_to_rest = read_reference(node, start.kind, rest);
  start.shape = read_initial_shape(node, start);
  return start;
}

void reject_coarse_start(const Node& item, const optim::LocalStarts& starts) {
  if (!starts.is_too_coarse()) return;
  item.reject("initial_state",
              "from_recording requires three frames within a quarter of the shortest period of the motion",
              fmt::format("{} frames in {:.3g} s, a shortest period of {:.3g} s", starts.frames, starts.span,
                          starts.shortest_period),
              "write `free`, or give the start under `system:`; or record at a higher frame rate");
}

}  // namespace pithball::app
