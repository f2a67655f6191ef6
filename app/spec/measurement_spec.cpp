#include "app/spec/measurement_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/spec/camera_calibration.hpp"
#include "app/yaml/file_name.hpp"
#include "app/yaml/quantity.hpp"
#include "app/yaml/yaml_settings.hpp"
#include "optim/measurement/kinds/point.hpp"
#include "optim/measurement/measurement_kinds.hpp"

namespace pithball::app {
namespace {

/// The settings of a kind in an experiment file.
class YamlKindSettings final : public YamlSettingsOf<optim::KindSettings> {
 public:
  using YamlSettingsOf::YamlSettingsOf;

  std::vector<std::unique_ptr<KindSettings>> items(std::string_view key, std::string_view meaning,
                                                   bool required) override {
    std::vector<std::unique_ptr<KindSettings>> list;
    for (Node& item : node().items(key, meaning, required))
      list.push_back(std::make_unique<YamlKindSettings>(std::move(item), space()));
    return list;
  }
  std::vector<double> numbers(std::string_view key, std::string_view unit) override {
    return node().numbers(key, unit, "");
  }
  bool is_quantity_in(std::string_view key, std::string_view unit) const override {
    const Tree* written = node().form_tree(key);
    return written && !read_plain_number(written->text) &&
           read_quantity(written->text, std::string(unit)).problem.empty();
  }
  std::optional<optim::CameraCalibration> calibration(std::string_view key, std::string_view meaning) override {
    if (!describing() && !node().has(key)) return {};
    const std::string file = read_file_name(node(), key, meaning, false).string();
    if (describing()) return {};
    return node().located(key, [&] { return read_camera_calibration(file); });
  }
};

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
  seen.instrument = optim::unattached_instrument(kind);
  const auto components = static_cast<Index>(kind.components.size());
  for (Points& frame : seen.positions) frame.bottomRows(3 - components).setConstant(NAN);  // a file may hold more
  return seen;
}

optim::InstrumentSettings read_instrument(Node& node, const optim::MeasurementKind& kind, const Body& body,
                                          const optim::MeasuredBody& measured) {
  const auto make = [&](const optim::MeasurementKind& of, Node settings) {
    YamlKindSettings reader(std::move(settings), body.particles());
    return of.make(reader, measured);
  };
  if (node.describing()) {
    Node settings = node.child("measurement", "");
    for (const optim::MeasurementKind* each : optim::measurement_kinds())
      if (each->make) make(*each, settings.child(each->name, each->meaning));
    return {};
  }
  const Tree* written = node.form_tree("measurement");
  node.ignore("measurement");
  if (!kind.make) return {};
  Node form = node.form("measurement");
  return make(kind,
              written->kind == Tree::Kind::Scalar ? form.without_value(written->text) : form.child(kind.name, ""));
}

}  // namespace pithball::app
