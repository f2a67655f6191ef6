#include "app/spec/measurement_spec.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

#include "app/spec/camera_spec.hpp"
#include "app/spec/initial_state.hpp"
#include "app/spec/recording.hpp"
#include "app/yaml/particle_list.hpp"

namespace pithball::app {
namespace {

using Instrument = std::shared_ptr<const optim::Instrument>;

/// The mean of a particle or group.
optim::WeightedVertices read_point(Node item, const Recording& recording) {
  const std::vector<Index> particles =
      read_particles(item, "", "", recording.body.particles().count, recording.body.vertex_groups);
  if (particles.empty()) item.reject("", "must contain at least one particle", "none", "write a particle or a group");
  optim::WeightedVertices point;
  for (const Index i : particles) point.emplace_back(i, 1 / static_cast<double>(particles.size()));
  return point;
}

optim::PointPair read_pair(Node& node, std::string_view key, const Recording& recording) {
  std::vector<Node> ends = key.empty() ? node.items("", "") : node.items(key, "");
  if (ends.size() != 2)
    node.reject(key, "must be two particles or groups", fmt::format("{}", ends.size()), "write [0, tip]");
  return {read_point(ends[0], recording), read_point(ends[1], recording)};
}

void require_channels(Node& settings, const char* key, std::size_t channels, const Recording& recording) {
  const std::size_t columns = recording.capture.markers.size();
  if (channels != columns)
    settings.reject(key, fmt::format("must have one entry for each of the {} recorded columns", columns),
                    fmt::format("{}", channels), "select columns with `columns.points`");
}

/// Channels that look at points of their own have markers only by name and place.
void name_channels(const std::vector<optim::WeightedVertices>& places, Recording& recording) {
  for (std::size_t m = 0; m < places.size(); ++m)
    recording.observation.markers.push_back({recording.capture.markers[m], places[m]});
}

Instrument read_distance(Node settings, Recording& recording) {
  settings.document("between", "list of [A, B]", "required", "for each column: two particles or groups");
  if (settings.describing()) return nullptr;
  std::vector<optim::PointPair> pairs;
  std::vector<optim::WeightedVertices> places;
  for (Node& pair : settings.items("between", "", true)) {
    pairs.push_back(read_pair(pair, "", recording));
    places.push_back(pairs.back().to);
  }
  require_channels(settings, "between", pairs.size(), recording);
  name_channels(places, recording);
  return optim::make_distance_instrument(std::move(pairs));
}

optim::SegmentAngle read_segment_angle(Node& item, const Recording& recording) {
  optim::SegmentAngle angle;
  item.document("segment", "[A, B]", "required",
                "segment from A to B, each a particle or a group, whose angle is measured");
  item.document("to_segment", "[A, B]", "optional", "segment from which the angle is measured; instead of `direction`");
  const bool from_segment = !item.describing() && item.has("to_segment");
  if (from_segment && item.is_written("direction"))
    item.reject("direction", "must not be given together with `to_segment`", "both", "keep one of the two");
  if (!from_segment) angle.direction = item.vector("direction", "", "direction of angle 0", Vec3(0, 0, -1));
  angle.about = item.vector(
      "about", "",
      "axis of the angle: it is measured in the plane perpendicular to this axis, positive by the right-hand rule");
  if (item.describing()) return angle;
  angle.segment = read_pair(item, "segment", recording);
  if (from_segment) angle.other = read_pair(item, "to_segment", recording);
  if (!(angle.about.norm() > 0)) item.reject("about", "must not be zero", "[0, 0, 0]", "write the axis, [0, 1, 0]");
  angle.about.normalize();
  if (!from_segment && !(angle.about.cross(angle.direction).norm() > 0))
    item.reject("direction", "must not be along `about`", "a direction that has no angle about the axis",
                "write a direction across the axis");
  return angle;
}

Instrument read_angle(Node settings, Recording& recording) {
  std::vector<optim::SegmentAngle> angles;
  std::vector<optim::WeightedVertices> places;
  for (Node& item : settings.items("segments", "for each column: the segment whose angle it contains", true)) {
    angles.push_back(read_segment_angle(item, recording));
    places.push_back(angles.back().segment.to);
  }
  if (settings.describing()) return nullptr;
  require_channels(settings, "segments", angles.size(), recording);
  name_channels(places, recording);
  return optim::make_angle_instrument(std::move(angles));
}

Instrument read_velocity(Node, Recording&) { return optim::make_velocity_instrument(); }

Instrument read_acceleration(Node settings, Recording& recording) {
  for (const sim::ValueBlock& block : recording.scenario.model.values().blocks())
    if (block.name == "gravity" && block.key_time)
      settings.reject("", "requires constant gravity", "gravity with key frames", "omit the key frames of gravity");
  return optim::make_acceleration_instrument();
}

Instrument read_force(Node settings, Recording& recording) {
  std::vector<std::vector<Index>> groups;
  for (const optim::Marker& marker : recording.observation.markers) {
    std::vector<Index>& group = groups.emplace_back();
    for (const auto& [i, weight] : marker.vertices) {
      if (!recording.scenario.model.is_held(i))
        settings.reject("", "requires markers on pinned or driven particles",
                        fmt::format("particle {}, which is free", i),
                        "write `markers: [top]`, the group that the load cell holds, and pin it by `system.pinned`");
      group.push_back(i);
    }
  }
  return optim::make_force_instrument(recording.scenario.model.particles(), std::move(groups));
}

/// How the settings of each kind are read; null: positions, which need no instrument.
struct KindReader {
  const optim::MeasurementKind& (*kind)();
  Instrument (*read)(Node settings, Recording& recording);
  Instrument (*bare)();  ///< one that looks at nothing
  bool follows_markers = true;
};

const std::vector<KindReader>& kind_readers() {
  static const std::vector<KindReader> readers{
      {optim::point_kind, nullptr, [] { return Instrument(); }},
      {optim::camera_kind, read_camera, [] { return optim::make_camera_instrument({}); }},
      {optim::angle_kind, read_angle, [] { return optim::make_angle_instrument({}); }, false},
      {optim::distance_kind, read_distance, [] { return optim::make_distance_instrument({}); }, false},
      {optim::velocity_kind, read_velocity, [] { return optim::make_velocity_instrument(); }},
      {optim::acceleration_kind, read_acceleration, [] { return optim::make_acceleration_instrument(); }},
      {optim::force_kind, read_force, [] { return optim::make_force_instrument(0, {}); }}};
  return readers;
}

const KindReader& reader_of(const optim::MeasurementKind& kind) {
  return *std::ranges::find_if(kind_readers(), [&](const KindReader& one) { return &one.kind() == &kind; });
}

/// "camera" of `measurement: camera` and {camera: settings}.
std::string written_kind(Node& node) {
  const Tree* written = node.form_tree("measurement");
  if (!written) return "point";
  if (written->kind == Tree::Kind::Scalar) return written->text;
  if (written->kind == Tree::Kind::Map && written->entries.size() == 1) return written->entries.front().key;
  node.reject("measurement", "must be one kind, or one kind with its settings", shown(*written),
              "write `measurement: {camera: {focal_length: 900 px, image_size: [1280, 720]}}`");
}

}  // namespace

const optim::MeasurementKind& read_measurement_kind(Node& node) {
  if (node.describing()) {
    std::string kinds;
    for (const optim::MeasurementKind* kind : optim::measurement_kinds())
      kinds += (kinds.empty() ? "" : ", ") + kind->name;
    node.document("measurement", "one of " + kinds + "; or {KIND: settings}", "point",
                  "what the numbers of the recording are; see `pithball list measurements`");
    return optim::point_kind();
  }
  const std::string name = written_kind(node);
  if (const optim::MeasurementKind* kind = optim::find_measurement_kind(name)) return *kind;
  std::vector<std::string> known;
  for (const optim::MeasurementKind* kind : optim::measurement_kinds()) known.push_back(kind->name);
  node.reject("measurement", fmt::format("must be one of {}", fmt::join(known, ", ")), "'" + name + "'",
              "see `pithball list measurements`");
}

bool follows_markers(const optim::MeasurementKind& kind) { return reader_of(kind).follows_markers; }

Instrument bare_instrument(const optim::MeasurementKind& kind) { return reader_of(kind).bare(); }

void read_instrument(Node& node, Recording& recording) {
  if (node.describing()) {
    Node settings = node.child("measurement", "");
    for (const KindReader& reader : kind_readers())
      if (reader.read) reader.read(settings.child(reader.kind().name, reader.kind().meaning), recording);
    return;
  }
  const KindReader& reader = reader_of(*recording.kind);
  const Tree* written = node.form_tree("measurement");
  node.ignore("measurement");
  if (!reader.read) return;
  Node form = node.form("measurement");
  Node settings =
      written->kind == Tree::Kind::Scalar ? form.without_value(written->text) : form.child(reader.kind().name, "");
  recording.observation.instrument = reader.read(settings, recording);
}

void add_free_instrument(const Recording& recording, Index index, std::vector<optim::Parameter>& parameters) {
  for (const std::string& value : recording.free_own_values) {
    if (is_declared(parameters, value.c_str(), index)) continue;
    optim::Parameter parameter;
    parameter.value = value;
    parameter.recordings = optim::RecordingSharing::Each;
    parameter.scenarios = {index};
    parameters.push_back(std::move(parameter));
  }
}

}  // namespace pithball::app
