#include "app/spec/smooth_start.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "optim/observation/smooth_shape.hpp"

namespace pithball::app {
namespace {

std::vector<Index> held_particles(const sim::Model& model) {
  std::vector<Index> held;
  for (Index i = 0; i < model.particles(); ++i)
    if (model.is_held(i)) held.push_back(i);
  return held;
}

/// The markers of the smooth shape and their motion at simulated time 0.
struct SeenMotion {
  std::vector<std::size_t> numbers;  ///< of the recording's markers
  std::vector<optim::Marker> markers;
  Points places, velocities;
};

/// Markers of held particles alone are left out: where those are is known.
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

/// The error of the positions and velocities of all free particles: that of the markers, through `response` (3N×3M).
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

/// What the markers do not show, for the note.
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
