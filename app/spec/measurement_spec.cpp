#include "app/spec/measurement_spec.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

#include "app/spec/camera_spec.hpp"
#include "app/yaml/particle_list.hpp"

namespace pithball::app {
namespace {

using Instrument = std::shared_ptr<const optim::Instrument>;

/// The mean of a particle or group.
optim::WeightedVertices read_point(Node item, const Body& body) {
  const std::vector<Index> particles = read_particles(item, "", "", body.particles().count, body.vertex_groups);
  if (particles.empty()) item.reject("", "must contain at least one particle", "none", "write a particle or a group");
  optim::WeightedVertices point;
  for (const Index i : particles) point.emplace_back(i, 1 / static_cast<double>(particles.size()));
  return point;
}

optim::PointPair read_pair(Node& node, std::string_view key, const Body& body) {
  std::vector<Node> ends = key.empty() ? node.items("", "") : node.items(key, "");
  if (ends.size() != 2)
    node.reject(key, "must be two particles or groups", fmt::format("{}", ends.size()), "write [0, tip]");
  return {read_point(ends[0], body), read_point(ends[1], body)};
}

/// Channels that look at points of their own have markers only by name and place: one for each recorded column.
std::vector<optim::Marker> name_channels(const Node& settings, const char* key,
                                         const std::vector<optim::WeightedVertices>& places,
                                         const std::vector<std::string>& columns) {
  if (places.size() != columns.size())
    settings.reject(key, fmt::format("must have one entry for each of the {} recorded columns", columns.size()),
                    fmt::format("{}", places.size()), "select columns with `columns.points`");
  std::vector<optim::Marker> markers;
  for (std::size_t m = 0; m < places.size(); ++m) markers.push_back({columns[m], places[m]});
  return markers;
}

InstrumentSettings read_distance(Node settings, const MeasuredBody& measured) {
  settings.document("between", "list of [A, B]", "required", "for each column: two particles or groups");
  if (settings.describing()) return {};
  std::vector<optim::PointPair> pairs;
  std::vector<optim::WeightedVertices> places;
  for (Node& pair : settings.items("between", "", true)) {
    pairs.push_back(read_pair(pair, "", measured.body));
    places.push_back(pairs.back().to);
  }
  return {.instrument = optim::make_distance_instrument(std::move(pairs)),
          .markers = name_channels(settings, "between", places, measured.columns)};
}

optim::SegmentAngle read_segment_angle(Node& item, const Body& body) {
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
  angle.segment = read_pair(item, "segment", body);
  if (from_segment) angle.other = read_pair(item, "to_segment", body);
  if (!(angle.about.norm() > 0)) item.reject("about", "must not be zero", "[0, 0, 0]", "write the axis, [0, 1, 0]");
  angle.about.normalize();
  if (!from_segment && !(angle.about.cross(angle.direction).norm() > 0))
    item.reject("direction", "must not be along `about`", "a direction that has no angle about the axis",
                "write a direction across the axis");
  return angle;
}

InstrumentSettings read_angle(Node settings, const MeasuredBody& measured) {
  std::vector<optim::SegmentAngle> angles;
  std::vector<optim::WeightedVertices> places;
  for (Node& item : settings.items("segments", "for each column: the segment whose angle it contains", true)) {
    angles.push_back(read_segment_angle(item, measured.body));
    places.push_back(angles.back().segment.to);
  }
  if (settings.describing()) return {};
  return {.instrument = optim::make_angle_instrument(std::move(angles)),
          .markers = name_channels(settings, "segments", places, measured.columns)};
}

InstrumentSettings read_velocity(Node, const MeasuredBody&) {
  return {.instrument = optim::make_velocity_instrument()};
}

InstrumentSettings read_acceleration(Node settings, const MeasuredBody& measured) {
  for (const sim::ValueBlock& block : measured.model.values().blocks())
    if (block.name == "gravity" && block.key_time)
      settings.reject("", "requires constant gravity", "gravity with key frames", "omit the key frames of gravity");
  return {.instrument = optim::make_acceleration_instrument()};
}

InstrumentSettings read_force(Node settings, const MeasuredBody& measured) {
  std::vector<std::vector<Index>> groups;
  for (const optim::Marker& marker : measured.markers) {
    std::vector<Index>& group = groups.emplace_back();
    for (const auto& [i, weight] : marker.vertices) {
      if (!measured.model.is_held(i))
        settings.reject("", "requires markers on pinned or driven particles",
                        fmt::format("particle {}, which is free", i),
                        "write `markers: [top]`, the group that the load cell holds, and pin it by `system.pinned`");
      group.push_back(i);
    }
  }
  return {.instrument = optim::make_force_instrument(measured.model.particles(), std::move(groups))};
}

/// How the settings of each kind are read; null: positions, which need no instrument.
struct KindReader {
  const optim::MeasurementKind& (*kind)();
  InstrumentSettings (*read)(Node settings, const MeasuredBody& measured);
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

double read_file_unit(Node& node, const optim::MeasurementKind& kind) {
  if (node.describing() || !node.is_written("scale")) return 1;
  return node.number("scale", kind.unit, "", {}, sim::ValueSign::Positive);
}

optim::Observation observe(const datasets::Capture& capture, const optim::MeasurementKind& kind) {
  optim::Observation seen;
  for (const std::string& name : capture.markers) seen.markers.push_back({name, {}});
  seen.times.assign(capture.time.begin(), capture.time.end());
  seen.positions = capture.positions;
  seen.present = capture.present;
  seen.supposed = capture.constant;
  seen.frame_numbers = capture.frame_numbers;
  seen.instrument = reader_of(kind).bare();
  const auto components = static_cast<Index>(kind.components.size());
  for (Points& frame : seen.positions) frame.bottomRows(3 - components).setConstant(NAN);  // a file may hold more
  return seen;
}

InstrumentSettings read_instrument(Node& node, const optim::MeasurementKind& kind, const MeasuredBody& measured) {
  if (node.describing()) {
    Node settings = node.child("measurement", "");
    for (const KindReader& reader : kind_readers())
      if (reader.read) reader.read(settings.child(reader.kind().name, reader.kind().meaning), measured);
    return {};
  }
  const KindReader& reader = reader_of(kind);
  const Tree* written = node.form_tree("measurement");
  node.ignore("measurement");
  if (!reader.read) return {};
  Node form = node.form("measurement");
  return reader.read(
      written->kind == Tree::Kind::Scalar ? form.without_value(written->text) : form.child(reader.kind().name, ""),
      measured);
}

}  // namespace pithball::app
