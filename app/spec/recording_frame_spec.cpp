#include "app/spec/recording_frame_spec.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "app/spec/initial_state.hpp"
#include "app/spec/recording.hpp"
#include "optim/fit/camera_pose.hpp"
#include "sim/core/dense.hpp"

namespace pithball::app {
namespace {

/// [lower, upper] of an unknown of the clock, around its start.
std::optional<std::array<double, 2>> read_clock_bounds(Node& clock, const char* key, const char* unit,
                                                       const char* meaning, double start) {
  if (clock.describing()) {
    clock.document(key, fmt::format("[lower, upper]{}", *unit ? fmt::format(" [{}]", unit) : ""), "known", meaning);
    return {};
  }
  if (!clock.has(key)) return {};
  const std::vector<double> bounds = clock.numbers(key, unit, "");
  if (bounds.size() != 2 || !(bounds[0] < bounds[1]) || start < bounds[0] || start > bounds[1])
    clock.reject(key, fmt::format("must be [lower, upper] around the start {:g}", start),
                 fmt::format("{}", fmt::join(bounds, ", ")), "write two quantities, the smaller first");
  return std::array<double, 2>{bounds[0], bounds[1]};
}

/// Simulated times of the first and last frame at the ends of what the clock may be.
struct ClockSpan {
  double earliest, latest;
};
ClockSpan span_of(const Recording& recording) {
  const optim::Observation& seen = recording.observation;
  const FreeRecordingFrame& free = recording.free_recording_frame;
  const double offset = seen.recording_frame.clock_offset, scale = seen.recording_frame.clock_scale;
  const double first = seen.times.front(), length = seen.times.back() - first;
  return {first + (free.clock_offset ? (*free.clock_offset)[0] : offset),
          first + (free.clock_offset ? (*free.clock_offset)[1] : offset) +
              (free.clock_scale ? (*free.clock_scale)[1] : scale) * length};
}

}  // namespace

void read_clock(Node& node, Recording& recording) {
  Node clock =
      node.child("clock", "fit the recording's clock; the bounds determine the time that the simulation must cover");
  FreeRecordingFrame& free = recording.free_recording_frame;
  const optim::RecordingFrame& start = recording.observation.recording_frame;
  free.clock_offset = read_clock_bounds(clock, "offset", "s",
                                        "bounds of the fit parameter `clock_offset`, which is added to recorded times; "
                                        "its initial value is `time_offset`",
                                        start.clock_offset);
  free.clock_scale = read_clock_bounds(clock, "scale", "",
                                       "bounds of the fit parameter `clock_scale`, the simulated seconds per recorded "
                                       "second, counted from the first frame; its initial value is 1",
                                       start.clock_scale);
  if (clock.describing()) return;
  if (free.clock_scale && !((*free.clock_scale)[0] > 0))
    clock.reject("scale", "must be > 0", fmt::format("{:g}", (*free.clock_scale)[0]), "time must increase");
  if (free.clock_offset && span_of(recording).earliest < 0)
    clock.reject("offset", "must not put a frame before the start of the simulation",
                 fmt::format("the first frame at {:g} s", span_of(recording).earliest),
                 "increase the lower bound, or use later frames");
}

double latest_time(const Recording& recording) { return span_of(recording).latest; }

void require_near_start(const Node& node, const Recording& recording) {
  const std::vector<double>& times = recording.observation.times;
  const double length = times.back() - times.front(), first = span_of(recording).earliest;
  constexpr double far_off = 1000;  // lengths of the recording: its clock counts from another event, or in other units
  if (!(length > 0) || first <= far_off * length) return;
  node.reject(
      "time_offset", "must let the recording overlap with the simulation, which starts at 0",
      fmt::format("frames from {:.6g} to {:.6g} s", first, first + length),
      fmt::format("write `time_offset: {:.9g} s` if the body starts with the recording; what is not known of it is "
                  "fitted by `clock: {{offset: [lower, upper]}}`",
                  -times.front()));
}

void require_overlap(const Node& node, const Recording& recording) {
  const std::vector<double>& times = recording.observation.times;
  const double first = span_of(recording).earliest, end = recording.scenario.time_step * recording.scenario.steps;
  if (first <= end) return;
  node.reject("time_offset", fmt::format("must let the recording overlap with the simulation, from 0 to {:.6g} s", end),
              fmt::format("frames from {:.6g} to {:.6g} s", first, first + times.back() - times.front()),
              fmt::format("write `time_offset: {:.9g} s` if the body starts with the recording, or increase "
                          "simulation.duration",
                          -times.front()));
}

namespace {

/// Rotation vector [rad] of a frame whose x and y axes have these directions in the model's.
Vec3 rotation_of_axes(Node& placement) {
  const Vec3 x = placement.vector("x_axis", "", ""), y = placement.vector("y_axis", "", "");
  constexpr double square = 1e-3;  // directions that are written with four digits
  for (const auto& [key, axis] : {std::pair("x_axis", &x), std::pair("y_axis", &y)})
    if (!(axis->norm() > 0)) placement.reject(key, "must not be zero", "[0, 0, 0]", "write a direction: [1, 0, 0]");
  if (const double cosine = x.normalized().dot(y.normalized()); std::abs(cosine) > square)
    placement.reject("y_axis", "must be perpendicular to `x_axis`", fmt::format("a cosine of {:.3g}", cosine),
                     "an image has square axes; write both directions with four digits");
  sim::Mat3 axes;
  axes.col(0) = x.normalized();
  axes.col(2) = x.cross(y).normalized();
  axes.col(1) = axes.col(2).cross(axes.col(0));
  const Eigen::AngleAxisd turn(axes);
  return turn.angle() * turn.axis();
}

void read_rotation(Node& placement, optim::RecordingFrame& frame) {
  const bool has_axes = placement.is_written("x_axis") || placement.is_written("y_axis");
  if (has_axes && placement.is_written("rotation"))
    placement.reject("rotation", "must not be given together with `x_axis` and `y_axis`", "both",
                     "keep one of the two");
  if (!has_axes)
    frame.rotation = placement.vector("rotation", "rad", "rotation vector: axis times angle", Vec3(Vec3::Zero()));
  if (has_axes) frame.rotation = rotation_of_axes(placement);
}

}  // namespace

void read_placement(Node& node, Recording& recording) {
  Node placement =
      node.child("placement", "placement of the recording's frame of reference: x_model = R x_recorded + translation");
  FreeRecordingFrame& free = recording.free_recording_frame;
  optim::RecordingFrame& recording_frame = recording.observation.recording_frame;
  free.to_register = placement.flag("register",
                                    "find the placement from the first frame with at least three markers, assuming "
                                    "that all of them are at the initial positions of their particles",
                                    false);
  for (const char* key : {"rotation", "translation", "x_axis", "y_axis"})
    if (free.to_register && placement.is_written(key))
      placement.reject(key, "must not be given together with `register: true`", "both", "keep one of the two");
  if (placement.describing()) {
    placement.document("x_axis", "[x, y, z]", "optional",
                       "direction of the recording's x axis (of a camera: to the right in the image) in the model's "
                       "frame; with `y_axis` instead of `rotation`");
    placement.document("y_axis", "[x, y, z]", "optional",
                       "direction of its y axis (of a camera: down in the image), perpendicular to `x_axis`");
  }
  if (!free.to_register) {
    read_rotation(placement, recording_frame);
    recording_frame.translation =
        placement.vector("translation", "m", "position of the recording's origin", Vec3(Vec3::Zero()));
  }
  // Without the key what happens depends on the rest of the recording, so that no default is filled in.
  placement.document("fit", "one of none, rotation, translation, both",
                     "both with `register` and initial_state from_system, else none",
                     "parts of the placement that are fit parameters");
  free.is_chosen = placement.is_written("fit");
  const std::string fit =
      free.is_chosen ? placement.choice("fit", {"none", "rotation", "translation", "both"}, "") : "none";
  free.rotation = fit == "rotation" || fit == "both";
  free.translation = fit == "translation" || fit == "both";
}

namespace {

/// What one frame shows of markers that sit on the body, and where the model has them at its start.
struct RegisteredFrame {
  Points recorded{3, 0}, model{3, 0};
  std::vector<Index> markers;

  RegisteredFrame(const Recording& recording, std::size_t frame) {
    const optim::Observation& seen = recording.observation;
    const auto components = static_cast<Index>(recording.kind->components.size());
    for (std::size_t m = 0; m < seen.markers.size(); ++m) {
      const Vec3 sight = seen.place(frame, static_cast<Index>(m));
      if (seen.markers[m].vertices.empty() || !sight.head(components).allFinite()) continue;
      const Index k = recorded.cols();
      recorded.conservativeResize(3, k + 1);
      model.conservativeResize(3, k + 1);
      markers.push_back(static_cast<Index>(m));
      recorded.col(k) = sight;
      model.col(k).setZero();
      for (const auto& [vertex, weight] : seen.markers[m].vertices)
        model.col(k) += weight * recording.scenario.initial.x.col(vertex);
    }
  }
};

bool fits_focal_length(const Recording& recording) {
  return std::ranges::find(recording.free_own_values, "focal_length") != recording.free_own_values.end();
}

optim::CameraSearch camera_search(const Recording& recording) {
  const optim::Observation& seen = recording.observation;
  return {*seen.instrument, recording.scenario.model, seen.recording_frame, fits_focal_length(recording)};
}

/// RMS of the sigmas of a marker's components.
double marker_sigma(const Recording& recording, Index marker) {
  const auto components = static_cast<int>(recording.kind->components.size());
  double square = 0;
  for (int a = 0; a < components; ++a) square += std::pow(recording.observation.component_sigma(marker, a), 2);
  return std::sqrt(square / components);
}

std::string list_of(const Vec3& v) { return fmt::format("[{:.5g}, {:.5g}, {:.5g}]", v[0], v[1], v[2]); }

/// The first frame may be that of two poses.
void doubt_pose(const RegisteredFrame& frame, Recording& recording) {
  const optim::RecordingFrame& found = recording.observation.recording_frame;
  const auto rival = optim::find_rival_pose(camera_search(recording), {frame.model, frame.recorded}, found);
  if (!rival) return;
  recording.free_recording_frame.doubts.push_back(
      fmt::format("{}: two poses of the camera explain the frame at {:.3g} s equally well; the fit uses one of them. "
                  "If it does not "
                  "fit, try the other one: placement: {{rotation: {}, translation: {}, fit: both}}",
                  recording.name, recording.observation.times[recording.free_recording_frame.registered_frame],
                  list_of(rival->rotation), list_of(rival->translation)));
}

}  // namespace

void register_placement(Node& node, Recording& recording) {
  if (!recording.free_recording_frame.to_register) return;
  optim::Observation& seen = recording.observation;
  const bool is_camera = recording.kind == &optim::camera_kind();
  if (!is_camera && recording.kind != &optim::point_kind())
    node.reject("placement", "can be registered for points and cameras only", "register: true",
                "write rotation and translation");
  const Index least = !is_camera ? 3 : fits_focal_length(recording) ? 6 : 4;
  node.located("placement", [&] {
    for (std::size_t f = 0; f < seen.times.size(); ++f) {
      const RegisteredFrame frame(recording, f);
      recording.free_recording_frame.registered_frame = f;
      recording.free_recording_frame.registered_markers = frame.markers;
      if (frame.recorded.cols() < least && f + 1 < seen.times.size()) continue;  // the last complains
      seen.recording_frame = is_camera ? optim::register_camera(camera_search(recording), {frame.model, frame.recorded})
                                       : optim::register_points(frame.recorded, frame.model, seen.recording_frame);
      if (is_camera) doubt_pose(frame, recording);
      return;
    }
  });
  // run.yaml keeps `register: true`: a fit of it finds the same placement, and again carries its error.
}

void add_registration_error(Recording& recording) {
  const FreeRecordingFrame& free = recording.free_recording_frame;
  if (!free.to_register || (free.rotation && free.translation)) return;
  const optim::Observation& seen = recording.observation;
  const RegisteredFrame frame(recording, free.registered_frame);
  Vector sigma(static_cast<Index>(frame.markers.size()));
  for (Index k = 0; k < sigma.size(); ++k) sigma[k] = marker_sigma(recording, frame.markers[k]);
  const Eigen::MatrixXd covariance =
      recording.kind == &optim::camera_kind()
          ? optim::camera_pose_covariance(camera_search(recording), {frame.model, frame.recorded},
                                          sigma.norm() / std::sqrt(static_cast<double>(sigma.size())))
          : optim::registration_covariance(frame.recorded, seen.recording_frame, sigma);
  const sim::Spectrum modes = sim::symmetric_spectrum(covariance);
  optim::ValueError error;
  for (const optim::RecordingFrameValue& value : optim::recording_frame_values())
    if (value.name.starts_with("placement_"))
      for (Index a = 0; a < 3; ++a) error.entries.push_back(recording.scenario.size() + value.offset + a);
  error.root = modes.vectors * modes.values.cwiseMax(0).cwiseSqrt().asDiagonal();
  recording.value_errors.push_back(std::move(error));
}

void refine_registration(Recording& recording) {
  FreeRecordingFrame& free = recording.free_recording_frame;
  free.is_nuisance = true;
  free.rotation = free.translation = true;
}

void add_free_recording_frame(const Recording& recording, Index index, std::vector<optim::Parameter>& parameters) {
  const FreeRecordingFrame& free = recording.free_recording_frame;
  const auto add = [&](const char* value, const std::optional<std::array<double, 2>>& bounds, bool is_nuisance) {
    if (is_nuisance && is_declared(parameters, value, index)) return;
    optim::Parameter parameter;
    parameter.is_nuisance = is_nuisance;
    parameter.value = value;
    parameter.recordings = optim::RecordingSharing::Each;
    parameter.scenarios = {index};
    if (bounds) {
      parameter.lower = (*bounds)[0];
      parameter.upper = (*bounds)[1];
    }
    parameters.push_back(std::move(parameter));
  };
  if (free.clock_offset) add("clock_offset", free.clock_offset, false);
  if (free.clock_scale) add("clock_scale", free.clock_scale, false);
  if (free.rotation) add("placement_rotation", {}, free.is_nuisance);
  if (free.translation) add("placement_translation", {}, free.is_nuisance);
}

}  // namespace pithball::app
