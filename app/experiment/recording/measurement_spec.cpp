#include "app/experiment/recording/measurement_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "app/yaml/file_name.hpp"
#include "app/yaml/node.hpp"
#include "app/yaml/quantity.hpp"
#include "app/yaml/reading.hpp"
#include "app/yaml/yaml_settings.hpp"
#include "datasets/text/foreign_file.hpp"
#include "optim/measurement/kinds/point.hpp"
#include "optim/measurement/measurement_kinds.hpp"
#include "sim/core/checked_product.hpp"

namespace pithball::app {
namespace {

using optim::CameraCalibration;

/// Converts OpenCV's YAML to current YAML: its directive is that of YAML 1.0, and its tags name OpenCV types.
std::string plain_yaml(const std::string& text) {
  std::istringstream lines(text);
  std::string plain, line;
  while (std::getline(lines, line)) {
    if (line.starts_with("%YAML:")) line.clear();
    if (const std::size_t tag = line.find("!!opencv-matrix"); tag != std::string::npos)
      line.erase(tag, std::string_view("!!opencv-matrix").size());
    plain += line + "\n";
  }
  return plain;
}

std::vector<double> read_matrix(Node& root, const std::string& key, std::size_t least, std::size_t most) {
  Node matrix = root.child(key, "", true);
  matrix.ignore("dt");
  const std::vector<double> data = matrix.numbers("data", "", "");
  const Index none = 0, rows = matrix.integer("rows", "", none, 1), columns = matrix.integer("cols", "", none, 1);
  const auto numbers = checked_product(std::array{rows, columns}, static_cast<Index>(most));
  if (matrix.has("rows") && matrix.has("cols") && numbers != static_cast<Index>(data.size()))
    matrix.reject("data", fmt::format("must have {} x {} numbers, as rows and cols say", rows, columns),
                  fmt::format("{}", data.size()), "copy the calibration again");
  if (data.size() < least || data.size() > most)
    matrix.reject("data",
                  least == most ? fmt::format("must have {} numbers", least)
                                : fmt::format("must have {} to {} numbers", least, most),
                  fmt::format("{}", data.size()), "use a calibration of OpenCV's standard camera model");
  return data;
}

/// Normalizes "Brown-Conrady" to "brown_conrady".
std::string as_word(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) {
    return c == '-' || c == ' ' ? '_' : static_cast<char>(std::tolower(c));
  });
  return text;
}

/// Rejects every lens model except Brown-Conrady, whichever key names it: coefficients of others differ in meaning.
void check_model(Node& lens) {
  static const std::vector<std::string> ours{
      "plumb_bob", "radtan",  "radial_tangential", "radialtangential", "brown", "brown_conrady",
      "opencv",    "pinhole", "perspective",       "pinhole_radtan",   "none"};
  const std::string required = "must be plumb_bob or radtan (k1, k2, p1, p2, k3) or none",
                    remedy = "calibrate the camera with this model, or record its undistorted pixels";
  for (const char* key : {"distortion_model", "distortion_type", "camera_model", "camera_type", "lens_model",
                          "model_type", "model", "projection_model"}) {
    if (!lens.is_scalar(key)) continue;
    const std::string model = lens.text(key, "");
    if (std::ranges::count(ours, as_word(model)) == 0) lens.reject(key, required, "'" + model + "'", remedy);
  }
  for (const char* key : {"fisheye_model", "fisheye"})  // OpenCV's sample program for calibrations writes the first
    if (lens.is_scalar(key) && lens.text(key, "") != "0" && as_word(lens.text(key, "")) != "false")
      lens.reject(key, required, "a fisheye", remedy);
}

/// Reads k1, k2, p1, p2, k3; rejects further coefficients, which belong to other models.
optim::LensDistortion read_coefficients(Node& lens, const std::string& key, const std::vector<double>& k) {
  for (std::size_t j = 5; j < k.size(); ++j)
    if (k[j] != 0)
      lens.reject(key, "must have 0 beyond k1, k2, p1, p2, k3 (plumb_bob, radtan)",
                  fmt::format("{:g} of the {} model", k[j],
                              j < 8    ? "rational"
                              : j < 12 ? "thin-prism"
                                       : "tilted"),
                  "calibrate without the rational, thin-prism and tilted models");
  const auto at = [&](std::size_t j) { return j < k.size() ? k[j] : 0; };
  return {at(0), at(1), at(2), at(3), at(4)};
}

std::vector<double> read_list(Node& camera, const char* key, std::size_t count) {
  const std::vector<double> numbers = camera.numbers(key, "", "");
  if (numbers.size() != count)
    camera.reject(key, fmt::format("must have {} numbers", count), fmt::format("{}", numbers.size()),
                  "give the camchain as Kalibr writes it");
  return numbers;
}

/// Rejects a focal length whose field of view would be uselessly narrow.
void check_view(const Node& root, const char* key, const CameraCalibration& camera) {
  constexpr double most = 1e6;  // image widths: telescopes have a few hundred
  if (!camera.image_size || !camera.focal_length) return;
  const double focal_length = *camera.focal_length, width = (*camera.image_size)[0];
  if (focal_length > most * width)
    root.reject(key, fmt::format("must have a focal length of at most {:g} image widths", most),
                fmt::format("{:g} px of {:g} px", focal_length, width), "calibrate again");
}

/// Reads the camera of a Kalibr camchain, which must contain only one.
CameraCalibration read_camchain(Node& root) {
  if (root.is_written("cam1"))
    root.reject("cam1", "must be omitted: a recording has one camera", "a second one",
                "save the block of each camera, as `cam0:`, in a file of its own");
  Node camera = root.child("cam0", "", true);
  check_model(camera);
  const std::vector<double> f = read_list(camera, "intrinsics", 4), size = read_list(camera, "resolution", 2);
  if (!(f[0] > 0 && f[1] > 0))
    camera.reject("intrinsics", "must be [f_x, f_y, c_x, c_y] with focal lengths > 0",
                  fmt::format("[{:g}]", fmt::join(f, ", ")), "calibrate again");
  CameraCalibration found;
  found.focal_length = f[0];
  found.aspect = f[1] / f[0];
  found.principal_point = {f[2], f[3]};
  found.image_size = {size[0], size[1]};
  const bool none = camera.is_written("distortion_model") && as_word(camera.text("distortion_model", "")) == "none";
  if (camera.is_written("distortion_coeffs") && !none)
    found.distortion = read_coefficients(camera, "distortion_coeffs", read_list(camera, "distortion_coeffs", 4));
  check_view(camera, "intrinsics", found);
  return found;
}

}  // namespace

CameraCalibration read_camera_calibration(const std::string& file) {
  Reading reading(parse_yaml(plain_yaml(datasets::read_plain_text(file, datasets::FileUse::Calibration)), file),
                  std::filesystem::path(file).parent_path());
  Node root = reading.root();
  if (root.is_written("cam0")) return read_camchain(root);
  check_model(root);
  CameraCalibration found;
  const std::vector<double> K = read_matrix(root, "camera_matrix", 9, 9);
  if (!(K[0] > 0 && K[4] > 0) || K[1] != 0 || K[3] != 0)
    root.reject("camera_matrix", "must be [f_x, 0, c_x, 0, f_y, c_y, 0, 0, 1] with focal lengths > 0",
                fmt::format("[{:g}]", fmt::join(K, ", ")), "use a calibration without skew");
  found.focal_length = K[0];
  found.aspect = K[4] / K[0];
  found.principal_point = {K[2], K[5]};
  for (const std::string distortion :
       {"distortion_coefficients", "dist_coeffs", "dist_coeff", "distCoeffs", "distortion", "D"}) {
    if (!root.is_written(distortion)) continue;
    found.distortion = read_coefficients(root, distortion, read_matrix(root, distortion, 4, 14));
    break;
  }
  if (root.is_written("image_width") || root.is_written("image_height"))
    found.image_size = {static_cast<double>(root.integer("image_width", "", {}, 1)),
                        static_cast<double>(root.integer("image_height", "", {}, 1))};
  check_view(root, "camera_matrix", found);
  return found;
}

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
    if (!node().has(key)) return {};
    const std::string file = read_file_name(node(), key, meaning, false).string();
    using Calibration = std::optional<optim::CameraCalibration>;
    return node().located_or({}, key, [&] { return Calibration(read_camera_calibration(file)); });
  }
};

/// Returns "camera" for `measurement: camera` and for {camera: settings}.
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
  if (!node.is_written("scale")) return 1;
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
  for (Points& frame : seen.positions) frame.bottomRows(3 - components).setConstant(NAN);  // a file may have more rows
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
