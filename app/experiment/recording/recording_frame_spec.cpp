#include "app/experiment/recording/recording_frame_spec.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "optim/search/camera_pose.hpp"
#include "sim/core/dense.hpp"

namespace pithball::app {
namespace {

/// Reads the bounds [lower, upper] of an unknown of the clock, which must enclose its start value.
std::optional<Range> read_clock_bounds(Node& clock, const char* key, const char* unit, const char* meaning,
                                       double start) {
  const std::string type = fmt::format("[lower, upper]{}", *unit ? fmt::format(" [{}]", unit) : "");
  if (!clock.has(key) || !clock.document(key, type, "known", meaning)) return {};
  const std::vector<double> bounds = clock.numbers(key, unit, "");
  if (bounds.size() != 2 || !(bounds[0] < bounds[1]) || start < bounds[0] || start > bounds[1])
    clock.reject(key, fmt::format("must be [lower, upper] around the start {:g}", start),
                 fmt::format("{}", fmt::join(bounds, ", ")), "write two quantities, the smaller first");
  return Range{bounds[0], bounds[1]};
}

/// Earliest simulated time of the first frame and latest one of the last frame within the bounds of the clock.
struct ClockSpan {
  double earliest, latest;
};
ClockSpan span_of(const optim::Observation& seen, const FreeClock& free) {
  const double offset = seen.recording_frame.clock_offset, scale = seen.recording_frame.clock_scale;
  const double first = seen.times.front(), length = seen.times.back() - first;
  return {first + (free.offset ? (*free.offset)[0] : offset),
          first + (free.offset ? (*free.offset)[1] : offset) + (free.scale ? (*free.scale)[1] : scale) * length};
}

}  // namespace

FreeClock read_clock(Node& node, const optim::Observation& seen) {
  Node clock =
      node.child("clock", "fit the recording's clock; the bounds determine the time that the simulation must cover");
  const optim::RecordingFrame& start = seen.recording_frame;
  FreeClock free;
  free.offset = read_clock_bounds(clock, "offset", "s",
                                  "bounds of the fit parameter `clock_offset`, which is added to recorded times; "
                                  "its initial value is `time_offset`",
                                  start.clock_offset);
  free.scale = read_clock_bounds(clock, "scale", "",
                                 "bounds of the fit parameter `clock_scale`, the simulated seconds per recorded "
                                 "second, counted from the first frame; its initial value is 1",
                                 start.clock_scale);
  if (free.scale && !((*free.scale)[0] > 0))
    clock.reject("scale", "must be > 0", fmt::format("{:g}", (*free.scale)[0]), "time must increase");
  if (free.offset && span_of(seen, free).earliest < 0)
    clock.reject("offset", "must not put a frame before the start of the simulation",
                 fmt::format("the first frame at {:g} s", span_of(seen, free).earliest),
                 "increase the lower bound, or use later frames");
  return free;
}

double latest_time(const optim::Observation& seen, const FreeClock& clock, double delay) {
  return span_of(seen, clock).latest + (clock.scale ? (*clock.scale)[1] : seen.recording_frame.clock_scale) * delay;
}

void require_near_start(const Node& node, const optim::Observation& seen, const FreeClock& clock) {
  const std::vector<double>& times = seen.times;
  const double length = times.back() - times.front(), first = span_of(seen, clock).earliest;
  constexpr double far_off = 1000;  // in durations of the recording; a larger offset indicates another origin or unit
  if (!(length > 0) || first <= far_off * length) return;
  node.reject(
      "time_offset", "must let the recording overlap with the simulation, which starts at 0",
      fmt::format("frames from {:.6g} to {:.6g} s", first, first + length),
      fmt::format("write `time_offset: {:.9g} s` if the body starts with the recording; what is not known of it is "
                  "fitted by `clock: {{offset: [lower, upper]}}`",
                  -times.front()));
}

void require_overlap(const Node& node, const optim::Observation& seen, const FreeClock& clock, double end) {
  const std::vector<double>& times = seen.times;
  const double first = span_of(seen, clock).earliest;
  if (first <= end) return;
  node.reject("time_offset", fmt::format("must let the recording overlap with the simulation, from 0 to {:.6g} s", end),
              fmt::format("frames from {:.6g} to {:.6g} s", first, first + times.back() - times.front()),
              fmt::format("write `time_offset: {:.9g} s` if the body starts with the recording, or increase "
                          "simulation.duration",
                          -times.front()));
}

namespace {

/// Returns the rotation vector [rad] of a frame whose x and y axes have the given directions in the model's frame.
Vec3 rotation_of_axes(Node& placement) {
  const Vec3 x = placement.vector("x_axis", "", ""), y = placement.vector("y_axis", "", "");
  constexpr double square = 1e-3;  // tolerance for directions written with four digits
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

/// Reads which parts of a placement are fitted.
void read_free_parts(Node& placement, FreePlacement& free) {
  // The default depends on the rest of the recording; therefore none is filled in here.
  placement.document("fit", "none, rotation, translation, both, scale, or list of rotation, translation, scale",
                     "both with `register` and initial_state from_system, else none",
                     "parts of the placement that are fit parameters; both: rotation and translation");
  free.is_chosen = placement.is_written("fit");
  if (!free.is_chosen) return;
  const bool is_list = placement.is_list("fit");
  const std::vector<std::string> parts =
      is_list ? placement.texts("fit", "")
              : std::vector{placement.choice("fit", {"none", "rotation", "translation", "both", "scale"}, "")};
  for (const std::string& part : parts) {
    if (is_list && part != "rotation" && part != "translation" && part != "scale")
      placement.reject("fit", "must list rotation, translation or scale", "'" + part + "'",
                       "write `fit: [rotation, translation, scale]`");
    free.rotation = free.rotation || part == "rotation" || part == "both";
    free.translation = free.translation || part == "translation" || part == "both";
    free.scale = free.scale || part == "scale";
  }
}

}  // namespace

FreePlacement read_placement(Node& node, const optim::MeasurementKind& kind, optim::RecordingFrame& frame) {
  Node placement = node.child(
      "placement", "placement of the recording's frame of reference: x_model = scale · R x_recorded + translation");
  FreePlacement free;
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
    read_rotation(placement, frame);
    frame.translation = placement.vector("translation", "m", "position of the recording's origin", Vec3(Vec3::Zero()));
  }
  frame.set_scale(placement.number("scale", "",
                                   "model units per recorded one, of positions, velocities, accelerations and forces; "
                                   "with `fit: scale`, its initial value",
                                   1, sim::ValueSign::Positive));
  read_free_parts(placement, free);
  if (kind.components.size() != 3 && (free.scale || frame.scale() != 1))
    placement.reject(free.scale ? "fit" : "scale", "must not contain a scale, which only vectors have",
                     "a recording of the kind " + kind.name,
                     kind.geometry.registration == optim::Registration::CameraPose
                         ? "write `fit: [focal_length]` or `fit: [image_scale]` in `measurement: {camera: …}`"
                         : "omit it");
  return free;
}

namespace {

/// Markers on the body that are seen in one frame: recorded positions, and positions in the model at its start.
struct RegisteredFrame {
  Points recorded{3, 0}, model{3, 0};
  std::vector<Index> markers;

  RegisteredFrame(const PlacedMarkers& placed, std::size_t frame) {
    const optim::Observation& seen = placed.seen;
    const auto components = static_cast<Index>(optim::kind_of(seen).components.size());
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
        model.col(k) += weight * placed.scenario.initial.x.col(vertex);
    }
  }
};

optim::CameraSearch camera_search(const PlacedMarkers& placed, const optim::RecordingFrame& frame) {
  return {*placed.seen.instrument, placed.scenario.model, frame, placed.fits_focal_length};
}

/// Returns the RMS of the sigmas of a marker's components.
double marker_sigma(const optim::Observation& seen, Index marker) {
  const auto components = static_cast<int>(optim::kind_of(seen).components.size());
  double square = 0;
  for (int a = 0; a < components; ++a) square += std::pow(seen.noise.component_sigma(marker, a), 2);
  return std::sqrt(square / components);
}

std::string list_of(const Vec3& v) { return fmt::format("[{:.5g}, {:.5g}, {:.5g}]", v[0], v[1], v[2]); }

/// Returns a doubt if the frame fits two poses about equally well.
std::optional<std::string> doubt_pose(const PlacedMarkers& placed, const RegisteredFrame& frame, double time,
                                      const optim::RecordingFrame& found) {
  const auto rival = optim::find_rival_pose(camera_search(placed, found), {frame.model, frame.recorded}, found);
  if (!rival) return {};
  return fmt::format(
      "two poses of the camera explain the frame at {:.3g} s equally well; the fit uses one of them. If it does not "
      "fit, try the other one: placement: {{rotation: {}, translation: {}, fit: both}}",
      time, list_of(rival->rotation), list_of(rival->translation));
}

}  // namespace

optim::RecordingFrame register_placement(const Node& node, const PlacedMarkers& placed, FreePlacement& placement) {
  const optim::Observation& seen = placed.seen;
  if (!placement.to_register) return seen.recording_frame;
  const optim::Registration way = optim::kind_of(seen).geometry.registration;
  const bool is_camera = way == optim::Registration::CameraPose;
  if (way == optim::Registration::None)
    node.reject("placement", "can be registered for points and cameras only", "register: true",
                "write rotation and translation");
  const Index least = !is_camera ? 3 : placed.fits_focal_length ? 6 : 4;
  // run.yaml keeps `register: true`, so that a fit of run.yaml finds the same placement and includes its error, too.
  return node.located("placement", [&] {
    std::size_t f = 0;
    while (f + 1 < seen.times.size() && RegisteredFrame(placed, f).recorded.cols() < least) ++f;
    const RegisteredFrame frame(placed, f);  // if even the last has too few markers, the search reports it
    placement.registered_frame = f;
    placement.registered_markers = frame.markers;
    if (!is_camera) return optim::register_points(frame.recorded, frame.model, seen.recording_frame);
    const optim::RecordingFrame found =
        optim::register_camera(camera_search(placed, seen.recording_frame), {frame.model, frame.recorded});
    if (auto doubt = doubt_pose(placed, frame, seen.times[f], found)) placement.doubts.push_back(*std::move(doubt));
    return found;
  });
}

std::optional<optim::ValueError> registration_error(const PlacedMarkers& placed, const FreePlacement& placement) {
  if (!placement.to_register || (placement.rotation && placement.translation)) return {};
  const optim::Observation& seen = placed.seen;
  const RegisteredFrame frame(placed, placement.registered_frame);
  Vector sigma(static_cast<Index>(frame.markers.size()));
  for (Index k = 0; k < sigma.size(); ++k) sigma[k] = marker_sigma(seen, frame.markers[k]);
  const Eigen::MatrixXd covariance =
      optim::kind_of(seen).geometry.registration == optim::Registration::CameraPose
          ? optim::camera_pose_covariance(camera_search(placed, seen.recording_frame), {frame.model, frame.recorded},
                                          sigma.norm() / std::sqrt(static_cast<double>(sigma.size())))
          : optim::registration_covariance(frame.recorded, seen.recording_frame, sigma);
  const sim::Spectrum modes = sim::symmetric_spectrum(covariance);
  optim::ValueError error;
  for (const optim::RecordingFrameValue& value : optim::recording_frame_values())
    if (value.name == "placement_rotation" || value.name == "placement_translation")
      for (Index a = 0; a < 3; ++a) error.entries.push_back(placed.scenario.size() + value.offset + a);
  error.root = modes.vectors * modes.values.cwiseMax(0).cwiseSqrt().asDiagonal();
  return error;
}

}  // namespace pithball::app
