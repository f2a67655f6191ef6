#include "app/spec/camera_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/spec/camera_calibration.hpp"
#include "app/yaml/file_name.hpp"
#include "app/yaml/quantity.hpp"

namespace pithball::app {
namespace {

/// Pairs of numbers: [width, height], [x, y].
std::optional<std::array<double, 2>> read_two(Node& node, const char* key, const char* unit, const char* meaning,
                                              const char* fallback) {
  node.document(key, fmt::format("[x, y]{}", *unit ? fmt::format(" [{}]", unit) : ""), fallback, meaning);
  if (node.describing() || !node.has(key)) return {};
  const std::vector<double> two = node.numbers(key, unit, "");
  if (two.size() != 2) node.reject(key, "must be two numbers", fmt::format("{}", two.size()), "write [x, y]");
  return std::array{two[0], two[1]};
}

CameraCalibration read_calibration_key(Node& node) {
  if (!node.describing() && !node.has("calibration")) return {};
  const std::string file =
      read_file_name(node, "calibration",
                     "calibration file of OpenCV, ROS or Kalibr (YAML), instead of the other keys of the lens", false)
          .string();
  if (node.describing()) return {};
  for (const char* key : {"focal_length", "aspect", "distortion"})
    if (node.is_written(key))
      node.reject(key, "must not be given together with `calibration`", "both", "keep one of the two");
  return node.located("calibration", [&] { return read_camera_calibration(file); });
}

using Size = std::array<double, 2>;

/// Where pixels lie outside the image, the image is another one than that of the calibration. `flipped`: as in
/// InstrumentSettings.
void require_inside(Node& node, const Size& size, const std::vector<Points>& readings,
                    const std::array<std::optional<double>, 2>& flipped) {
  Size most{};
  for (const Points& frame : readings)
    for (Index m = 0; m < frame.cols(); ++m)
      for (std::size_t a = 0; a < most.size(); ++a) {
        const double pixel = frame(a, m), counted = flipped[a] ? *flipped[a] - 1 - pixel : pixel;
        if (counted > most[a]) most[a] = counted;
      }
  constexpr double margin = 1.1;  // trackers may follow a marker a little out of the image
  if (most[0] > margin * size[0] || most[1] > margin * size[1])
    node.reject(
        "image_size", "must contain the recorded pixels",
        fmt::format("pixels up to ({:.0f}, {:.0f}) in an image of {:.0f} × {:.0f}", most[0], most[1], size[0], size[1]),
        "use the calibration of the images that were tracked, at their size");
}

/// A focal length as it is written on a lens.
void reject_millimeters(Node& node) {
  const Tree* written = node.form_tree("focal_length");
  if (node.describing() || !written || read_plain_number(written->text) ||
      !read_quantity(written->text, "m").problem.empty())
    return;
  node.reject(
      "focal_length", "must be in pixels", "'" + written->text + "'",
      "divide it by the width of a pixel on the sensor: 35 mm · 1280 px / 36 mm = 1244 px for an image of 1280 px "
      "from a sensor of 36 mm");
}

/// The own values of the camera that the fit changes.
std::vector<std::string> read_fitted(Node& node, bool orthographic) {
  node.document("fit", "list of focal_length, principal_point, image_scale", "none",
                "fit parameters of the camera, in addition to its pose (`placement.fit`)");
  std::vector<std::string> fitted;
  if (node.describing() || !node.has("fit")) return fitted;
  for (const std::string& value : node.texts("fit", "")) {
    const bool known = value == "principal_point" || value == (orthographic ? "image_scale" : "focal_length");
    if (!known)
      node.reject("fit",
                  orthographic ? "must list image_scale or principal_point of an orthographic camera"
                               : "must list focal_length or principal_point of a perspective camera",
                  "'" + value + "'", "write `fit: [focal_length]`");
    if (value == "principal_point")
      fitted.insert(fitted.end(), {"principal_x", "principal_y"});
    else
      fitted.push_back(value);
  }
  return fitted;
}

optim::LensDistortion read_distortion(Node& node) {
  node.document("distortion", "4 or 5 numbers", "none", "coefficients k1, k2, p1, p2, k3 of OpenCV's lens model");
  if (node.describing() || !node.has("distortion")) return {};
  const std::vector<double> k = node.numbers("distortion", "", "");
  if (k.size() != 4 && k.size() != 5)
    node.reject("distortion", "must be k1, k2, p1, p2 and, if it is known, k3", fmt::format("{} numbers", k.size()),
                "write four or five numbers");
  return {k[0], k[1], k[2], k[3], k.size() == 5 ? k[4] : 0};
}

/// `flip: [v]`: pixels that the file counts from the other edges of the image are counted from the usual ones. Returns
/// the lengths of those edges.
std::array<std::optional<double>, 2> read_flip(Node& node, const std::optional<Size>& size) {
  std::array<std::optional<double>, 2> flipped;
  node.document(
      "flip", "list of names", "none",
      "u, v: coordinates that the file counts from the other edge of the image, `[v]` for rows counted upward; "
      "requires the size of the image");
  if (node.describing() || !node.has("flip")) return flipped;
  for (const std::string& axis : node.texts("flip", "")) {
    if (axis != "u" && axis != "v") node.reject("flip", "must list u or v", "'" + axis + "'", "write `flip: [v]`");
    if (!size) node.reject("flip", "requires `image_size`", "no size", "write `image_size: [1280, 720]`");
    const std::size_t row = axis == "u" ? 0 : 1;
    flipped[row] = (*size)[row];
  }
  return flipped;
}

}  // namespace

InstrumentSettings read_camera(Node node, const MeasuredBody& measured) {
  InstrumentSettings read;
  optim::Camera camera;
  camera.orthographic = node.choice("projection", {"perspective", "orthographic"},
                                    "projection; orthographic: parallel rays, for a distant camera or an unknown scale",
                                    "perspective") == "orthographic";
  CameraCalibration lens = read_calibration_key(node);
  if (const auto size = read_two(node, "image_size", "px", "width and height of the image", "that of the calibration"))
    lens.check_size(node, *size);
  if (node.describing() || camera.orthographic)
    read.own_values.emplace_back(
        "image_scale",
        node.number("image_scale", "px/m",
                    "pixels per meter of an orthographic camera; with `fit: [image_scale]`, its initial value", {},
                    sim::ValueSign::Positive));
  reject_millimeters(node);
  if (node.describing() || (!camera.orthographic && !lens.focal_length))
    lens.focal_length = node.number(
        "focal_length", "px",
        "focal length in pixels (divided by the width of a pixel); with `fit: [focal_length]`, its initial value", {},
        sim::ValueSign::Positive);
  if (!node.is_written("calibration") || node.describing()) {
    lens.aspect = node.number(
        "aspect", "", "width of a pixel divided by its height, which is the focal length in y divided by that in x", 1,
        sim::ValueSign::Positive);
    lens.distortion = read_distortion(node);
  }
  if (const auto at = read_two(node, "principal_point", "px", "point at which the optical axis meets the image",
                               "of the calibration; else the center of the image"))
    lens.principal_point = at;
  camera.row_time = node.number("row_time", "s",
                                "rolling shutter: time between the exposure of one row of pixels and "
                                "the next; frame times are those of row 0",
                                0);
  read.free_own_values = read_fitted(node, camera.orthographic);
  read.flipped = read_flip(node, lens.image_size);
  if (node.describing()) return {};
  if (lens.image_size) require_inside(node, *lens.image_size, measured.readings, read.flipped);
  if (!lens.principal_point && lens.image_size)
    lens.principal_point = {((*lens.image_size)[0] - 1) / 2, ((*lens.image_size)[1] - 1) / 2};
  if (!lens.principal_point)
    node.reject("principal_point", "is required without `image_size` or `calibration`", "nothing",
                "write `image_size: [1280, 720]`: the optical axis then meets the middle of the image");
  if (camera.orthographic && measured.moves_camera)
    read.doubts.emplace_back(
        "an orthographic camera does not see how far away it is: of `placement_translation`, the part along its axis "
        "is not determined; this does not affect other parameters");
  if (!camera.orthographic) read.own_values.emplace_back("focal_length", *lens.focal_length);
  read.own_values.emplace_back("principal_x", (*lens.principal_point)[0]);
  read.own_values.emplace_back("principal_y", (*lens.principal_point)[1]);
  camera.aspect = lens.aspect;
  camera.distortion = lens.distortion;
  camera.image_size = lens.image_size;
  read.instrument = optim::make_camera_instrument(camera);
  return read;
}

}  // namespace pithball::app
