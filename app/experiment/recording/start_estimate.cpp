#include "app/experiment/recording/start_estimate.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "app/experiment/recording/recording.hpp"
#include "optim/observation/local_start.hpp"
#include "optim/observation/smooth_shape.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "sim/run/equilibrium.hpp"

namespace pithball::app {
namespace {

/// Returns a unit force on the particles of a marker, along one component, distributed by their weights.
Points pull_of(const optim::Marker& marker, int component, Index particles) {
  Points pull = Points::Zero(3, particles);
  for (const auto& [vertex, weight] : marker.vertices) pull(component, vertex) += weight;
  return pull;
}

/// Position and velocity of one component of a marker at simulated time 0.
struct MeasuredStart {
  double x = 0, v = 0;   ///< [m], [m/s]
  Eigen::Matrix2d root;  ///< their covariance is root rootᵀ
};

/// Estimates the start of one component. If there are frames before the start, the fitted span has the same length but
/// is centered on the start: the error of a polynomial is smallest in its middle.
MeasuredStart start_of(const Recording& recording, const optim::LocalStarts& starts, std::size_t marker,
                       int component) {
  const optim::LocalStart& alone = starts.markers[marker];
  const optim::Observation& seen = recording.observation;
  const datasets::Capture& before = recording.motion.lead_in;
  std::vector<double> times, samples;
  const auto add = [&](double recorded_time, const Vec3& place) {
    const double time =
        seen.simulated_time(0) + seen.recording_frame.clock_scale * (recorded_time - seen.times.front());
    const double sample = seen.recording_frame.to_model(place)[component];
    if (std::isnan(sample) || std::abs(time) > starts.span / 2) return;
    times.push_back(time);
    samples.push_back(sample);
  };
  for (Index f = 0; f < before.frames(); ++f) add(before.time[f], before.positions[f].col(marker));
  const auto count_before = static_cast<Index>(samples.size());
  for (std::size_t f = 0; f < seen.times.size(); ++f) add(seen.times[f], seen.sight(f, marker));
  if (count_before == 0 || static_cast<Index>(samples.size()) <= starts.degree)
    return {alone.x[component], alone.v[component], alone.error_root(component)};
  const Eigen::MatrixXd weights = value_and_slope_weights(times, starts.degree);
  const Eigen::Vector2d start = weights * Eigen::Map<const sim::Vector>(samples.data(), weights.cols());
  const double sigma = seen.recording_frame.scale() * seen.noise.component_sigma(static_cast<Index>(marker), component);
  return {start[0], start[1], Eigen::Matrix2d((weights * weights.transpose()).llt().matrixL()) * sigma};
}

sim::Equilibrium find_rest(const Node& node, const Recording& recording) {
  const sim::State near{0, *recording.own.scenario.rest_near,
                        Points::Zero(3, recording.own.scenario.model.particles())};
  const sim::Equilibrium rest =
      node.located("initial_state", [&] { return sim::find_equilibrium(recording.own.scenario.model, near); });
  if (!rest.found())
    node.reject("reference", "rest requires a model with an equilibrium", rest.failure,
                "pin the body, or write `reference: absolute`");
  if (rest.is_loose())
    node.reject("reference", "rest with `initial_state: from_recording` requires a unique equilibrium",
                "a body that moves without resistance", "pin the body, or write `initial_state: equilibrium`");
  return rest;
}

/// The measured displacement of one component of a marker at the start.
struct Displacement {
  Index marker = 0;
  int component = 0;
  MeasuredStart start;
  double rest = 0, rest_error = 0;  ///< [m]
};

/// Propagates the errors of the measured values to the start of all particles and to the reference positions of the
/// displacements, which are the markers' positions at the start (`refer_to_rest`).
optim::ValueError error_of(const std::vector<Displacement>& measured, const std::vector<Points>& shapes,
                           const Recording& recording) {
  const diff::Scenario& scenario = recording.own.scenario;
  const auto& frame = recording.observation.recording_frame;
  const sim::Mat3 turned_back = frame.rotation_matrix().transpose() / frame.scale();
  const Index values = 3 * scenario.model.particles(), markers = recording.motion.rest.size();
  optim::ValueError error;
  for (Index k = 0; k < values; ++k) error.entries.push_back(scenario.position_offset() + k);
  for (Index k = 0; k < values; ++k) error.entries.push_back(scenario.velocity_offset() + k);
  for (Index k = 0; k < markers; ++k) error.entries.push_back(optim::reference_entry(scenario, k / 3, k % 3));
  error.root = Eigen::MatrixXd::Zero(2 * values + markers, 3 * static_cast<Index>(measured.size()));
  for (std::size_t k = 0; k < measured.size(); ++k) {
    const Displacement& one = measured[k];
    const Vector shape = shapes[k].reshaped();
    const Eigen::RowVector3d place(one.start.root(0, 0), one.start.root(0, 1), 0);
    const Eigen::RowVector3d speed(one.start.root(1, 0), one.start.root(1, 1), 0);
    const auto column = 3 * static_cast<Index>(k);
    error.root.block(0, column, values, 3) = shape * (place - Eigen::RowVector3d(0, 0, one.rest_error));
    error.root.block(values, column, values, 3) = shape * speed;
    error.root.block(2 * values + 3 * one.marker, column, 3, 3) = turned_back.col(one.component) * place;
  }
  return error;
}

}  // namespace

void start_displaced(const Node& node, Recording& recording) {
  optim::Observation& seen = recording.observation;
  const optim::LocalStarts starts = optim::fit_local_starts(seen);
  reject_coarse_start(node, starts);
  const sim::Equilibrium rest = find_rest(node, recording);
  const Index particles = recording.own.scenario.model.particles();
  const Points rest_error = rest_errors(recording);
  const sim::Mat3 turn = seen.recording_frame.rotation_matrix() * seen.recording_frame.scale();
  std::vector<Points> pulls;
  std::vector<Displacement> measured;
  for (std::size_t m = 0; m < seen.markers.size(); ++m) {
    const auto marker = static_cast<Index>(m);
    const Vec3 resting = seen.recording_frame.to_model(recording.motion.rest.col(marker));
    // The components of the recording, before its rotation, have independent errors.
    const Vec3 error = (turn * rest_error.col(marker).asDiagonal()).rowwise().norm();
    for (const char c : seen_components(seen)) {
      const int a = c - 'x';
      if (!starts.markers[m].is_seen(a)) continue;
      pulls.push_back(pull_of(seen.markers[m], a, particles));
      measured.push_back({marker, a, start_of(recording, starts, m, a), resting[a], error[a]});
    }
  }
  if (pulls.empty())
    node.reject("initial_state", "from_recording requires a marker that is present in the first frames", "none",
                "use frames with markers");
  const std::vector<Points> shapes =
      node.located("initial_state", [&] { return sim::least_energy_shapes(rest, pulls); });
  sim::State& start = recording.own.scenario.initial;
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    start.x += (measured[k].start.x - measured[k].rest) * shapes[k];
    start.v += measured[k].start.v * shapes[k];
  }
  recording.known.errors.push_back(error_of(measured, shapes, recording));
  refer_to_rest(node, recording.motion.rest, recording.own.scenario, seen);
}

namespace {

std::vector<Index> held_particles(const sim::Model& model) {
  std::vector<Index> held;
  for (Index i = 0; i < model.particles(); ++i)
    if (model.is_held(i)) held.push_back(i);
  return held;
}

/// The markers of the smooth shape and their motion at simulated time 0.
struct SeenMotion {
  std::vector<std::size_t> numbers;  ///< indices in the recording's markers
  std::vector<optim::Marker> markers;
  Points places, velocities;
};

/// Omits markers attached only to held particles, whose positions are known.
SeenMotion motion_of(const SeenStart& seen, const Recording& recording) {
  SeenMotion motion;
  for (const std::size_t m : seen.markers) {
    const optim::Marker& marker = recording.observation.markers[m];
    if (std::ranges::all_of(marker.vertices,
                            [&](const auto& part) { return recording.own.scenario.model.is_held(part.first); }))
      continue;
    motion.numbers.push_back(m);
    motion.markers.push_back(marker);
  }
  motion.places = motion.velocities = Points::Zero(3, static_cast<Index>(motion.numbers.size()));
  for (std::size_t k = 0; k < motion.numbers.size(); ++k) {
    const optim::LocalStart& start = seen.starts.markers[motion.numbers[k]];
    for (Index a = 0; a < 3; ++a) {
      const bool is_seen = seen.components.find("xyz"[a]) != std::string::npos;
      if (is_seen) motion.velocities(a, k) = start.v[a];
      if (is_seen) motion.places(a, k) = start.x[a];
      if (!is_seen)
        for (const auto& [vertex, weight] : motion.markers[k].vertices)
          motion.places(a, k) += weight * seen.given.x(a, vertex);
    }
  }
  return motion;
}

/// Returns the error of the positions and velocities of all free particles: that of the markers, multiplied by
/// `response` (3N×3M).
optim::ValueError error_of(const SeenStart& seen, const SeenMotion& motion, const Eigen::MatrixXd& response,
                           const diff::Scenario& scenario) {
  optim::ValueError error;
  std::vector<Index> rows;
  for (Index i = 0; i < scenario.model.particles(); ++i)
    if (!scenario.model.is_held(i))
      for (Index a = 0; a < 3; ++a) rows.push_back(3 * i + a);
  const auto count = static_cast<Index>(rows.size());
  for (const Index row : rows) error.entries.push_back(scenario.position_offset() + row);
  for (const Index row : rows) error.entries.push_back(scenario.velocity_offset() + row);
  error.root = Eigen::MatrixXd::Zero(2 * count, 2 * response.cols());
  const Eigen::MatrixXd free = response(rows, Eigen::all);
  for (std::size_t k = 0; k < motion.numbers.size(); ++k)
    for (const char c : seen.components) {
      const int a = c - 'x';
      const Index column = 3 * static_cast<Index>(k) + a;
      const Eigen::Matrix2d root = seen.starts.markers[motion.numbers[k]].error_root(a);
      error.root.block(0, 2 * column, count, 2) = free.col(column) * root.row(0);
      error.root.block(count, 2 * column, count, 2) = free.col(column) * root.row(1);
    }
  return error;
}

/// Returns a note on motion that the markers cannot show.
std::string unseen_text(const optim::SmoothShape& shape) {
  if (shape.dimensions() == 0) return "; there is one marker: the body is only moved";
  if (!shape.has_offsets()) return "";
  return shape.dimensions() == 1 ? "; the markers lie on a line: sections of the body across it turn with it, untwisted"
                                 : "; the markers lie in a plane: lines of the body across it stay across it";
}

}  // namespace

std::string start_smoothly(const Node& node, const SeenStart& seen, Recording& recording) {
  const sim::Model& model = recording.own.scenario.model;
  const SeenMotion motion = motion_of(seen, recording);
  if (motion.markers.empty())
    node.reject("initial_shape", "smooth requires a marker on a free particle", "none", "write `initial_shape: rigid`");
  optim::SmoothShape shape = node.located(
      "initial_shape", [&] { return optim::SmoothShape(seen.given.x, motion.markers, held_particles(model)); });
  if (!shape.pass_through(motion.places))
    node.reject("initial_shape", "smooth requires a shape of the body through all markers", "none was found",
                "check the markers' particles and `placement`, or write `initial_shape: rigid`");
  sim::State& start = recording.own.scenario.initial;
  start.x = shape.places();
  start.v = shape.velocities(motion.velocities, seen.given.v);
  recording.known.errors.push_back(error_of(seen, motion, shape.response(), recording.own.scenario));
  return fmt::format(
      "{}: {} of {} particles have no marker in the first {} frames: their initial positions follow a smooth shape "
      "through the markers{}",
      recording.name, seen.followers, model.particles(), seen.starts.frames, unseen_text(shape));
}

}  // namespace pithball::app
