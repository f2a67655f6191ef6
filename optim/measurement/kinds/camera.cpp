#include "optim/measurement/kinds/camera.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Offsets of a camera's own values among those of a recording_frame.
struct CameraValues {
  Index focal_length = recording_frame_offset("focal_length"), principal_x = recording_frame_offset("principal_x"),
        principal_y = recording_frame_offset("principal_y"), image_scale = recording_frame_offset("image_scale"),
        lens = recording_frame_offset("lens_k1"), row_time = recording_frame_offset("row_time");
};

/// Own values that are coefficients of the lens model, in OpenCV's order.
constexpr std::array lens_values{"lens_k1", "lens_k2", "lens_p1", "lens_p2", "lens_k3"};
constexpr Index lens_size = lens_values.size();

std::array<double, lens_values.size()> coefficients(const LensDistortion& lens) {
  return {lens.k1, lens.k2, lens.p1, lens.p2, lens.k3};
}

const CameraValues& camera_values() {
  static const CameraValues values;
  return values;
}

/// The image that the lens forms of a point of the undistorted image plane.
struct Distorted {
  Eigen::Vector2d point;
  Eigen::Matrix2d slope;                        ///< ∂point/∂plane
  Eigen::Matrix<double, 2, lens_size> by_lens;  ///< ∂point/∂coefficients
};

Distorted distort(const LensDistortion& lens, const Eigen::Vector2d& plane) {
  const double x = plane[0], y = plane[1], square = x * x + y * y;
  const double radial = 1 + square * (lens.k1 + square * (lens.k2 + square * lens.k3));
  const double radial_slope = lens.k1 + square * (2 * lens.k2 + square * 3 * lens.k3);  // by the square
  Distorted found;
  found.point = {x * radial + 2 * lens.p1 * x * y + lens.p2 * (square + 2 * x * x),
                 y * radial + lens.p1 * (square + 2 * y * y) + 2 * lens.p2 * x * y};
  found.slope << radial + 2 * x * x * radial_slope + 2 * lens.p1 * y + 6 * lens.p2 * x,
      2 * x * y * radial_slope + 2 * lens.p1 * x + 2 * lens.p2 * y,
      2 * x * y * radial_slope + 2 * lens.p1 * x + 2 * lens.p2 * y,
      radial + 2 * y * y * radial_slope + 6 * lens.p1 * y + 2 * lens.p2 * x;
  const double fourth = square * square, sixth = fourth * square;
  found.by_lens << x * square, x * fourth, 2 * x * y, square + 2 * x * x, x * sixth,  //
      y * square, y * fourth, square + 2 * y * y, 2 * x * y, y * sixth;
  return found;
}

class CameraInstrument final : public Instrument {
 public:
  explicit CameraInstrument(const Camera& camera) : camera_(camera) {}
  const MeasurementKind& kind() const override { return camera_kind(); }
  std::vector<Input> inputs(Index, const Input& followed) const override { return {followed}; }
  Delay delay(const Vec3& recorded) const override {
    return {camera_values().row_time, std::isnan(recorded[1]) ? 0 : recorded[1]};
  }

  std::string reject(const Vec3& reading) const override {
    if (!camera_.image_size) return "";
    const auto [width, height] = *camera_.image_size;
    // The center of the first pixel is at 0, or at 0.5 if pixels count from its corner; NaN is not outside.
    const auto is_outside = [](double value, double size) { return value < -0.5 || value > size; };
    if (!is_outside(reading[0], width) && !is_outside(reading[1], height)) return "";
    return formatted("outside the image of %g × %g", width, height);
  }

  const char* read(const Look& look, Vec3& reading, ReadingSlope* slope) const override {
    const Viewpoint& from = look.viewpoint;
    const Vec3 offset = look.inputs.col(0) - from.frame.translation;
    const Vec3 seen = from.rotation.transpose() * offset;  // x right, y down, z ahead
    Eigen::Matrix<double, 2, 3> by_seen;
    if (const char* reason = camera_.orthographic ? orthographic(from, seen, reading, by_seen, slope)
                                                  : pinhole(from, seen, reading, by_seen, slope))
      return reason;
    if (!slope) return nullptr;
    slope->inputs.topRows<2>() = by_seen * from.rotation.transpose();
    for (Index k = 0; k < 3; ++k)
      slope->frame.col(2 + k).head<2>() = by_seen * (from.rotation_derivative[k].transpose() * offset);
    slope->frame.block<2, 3>(0, 5) = -slope->inputs.topRows<2>();
    slope->frame(0, camera_values().principal_x) = slope->frame(1, camera_values().principal_y) = 1;
    return nullptr;
  }

 private:
  using Slope2 = Eigen::Matrix<double, 2, 3>;

  const char* pinhole(const Viewpoint& from, const Vec3& seen, Vec3& reading, Slope2& by_seen,
                      ReadingSlope* slope) const {
    if (!(seen[2] > 0)) return "is behind the camera";
    const CameraValues& at = camera_values();
    const double focal = from.values[at.focal_length];
    const Eigen::Vector2d size(focal, focal * camera_.aspect), plane = seen.head<2>() / seen[2];
    const double* k = from.values.data() + at.lens;
    const Distorted lens = distort({k[0], k[1], k[2], k[3], k[4]}, plane);
    reading.head<2>() =
        size.cwiseProduct(lens.point) + Eigen::Vector2d(from.values[at.principal_x], from.values[at.principal_y]);
    if (!slope) return nullptr;
    Slope2 projected;
    projected << 1 / seen[2], 0, -plane[0] / seen[2], 0, 1 / seen[2], -plane[1] / seen[2];
    by_seen = size.asDiagonal() * lens.slope * projected;
    slope->frame.col(at.focal_length).head<2>() = Eigen::Vector2d(lens.point[0], camera_.aspect * lens.point[1]);
    slope->frame.block<2, lens_size>(0, at.lens) = size.asDiagonal() * lens.by_lens;
    return nullptr;
  }

  const char* orthographic(const Viewpoint& from, const Vec3& seen, Vec3& reading, Slope2& by_seen,
                           ReadingSlope* slope) const {
    const CameraValues& at = camera_values();
    const double scale = from.values[at.image_scale];
    reading.head<2>() =
        scale * seen.head<2>() + Eigen::Vector2d(from.values[at.principal_x], from.values[at.principal_y]);
    if (!slope) return nullptr;
    by_seen << scale, 0, 0, 0, scale, 0;
    slope->frame.col(at.image_scale).head<2>() = seen.head<2>();
    return nullptr;
  }

  Camera camera_;
};

/// Describes images with rows counted upward, columns counted from the right, or u and v exchanged.
OtherAxes describe_image_axes(const Mat3& axes, const std::array<std::string, 3>&) {
  if (axes(0, 0) != 0) {
    const bool u = axes(0, 0) < 0, v = axes(1, 1) < 0;
    const char* what = u && v ? "rows and columns of pixels are counted from the other edges"
                       : v    ? "rows of pixels are counted upward"
                              : "columns of pixels are counted from the right";
    return {what, std::string("camera: {flip: [") + (u && v ? "u, v" : v ? "v" : "u") + "]}"};
  }
  std::string flip;  // true u and v, recorded as v and u
  if (axes(1, 0) < 0) flip += "u";
  if (axes(0, 1) < 0) flip += flip.empty() ? "v" : ", v";
  return {"u and v are exchanged", "columns: {points: u and v of each point exchanged}" +
                                       (flip.empty() ? "" : ", camera: {flip: [" + flip + "]}")};
}

using Size = std::array<double, 2>;

/// Reads a pair of numbers: [width, height], [x, y].
std::optional<Size> read_two(KindSettings& settings, const char* key, const char* unit, const char* meaning,
                             const char* fallback) {
  settings.document(key, std::string("[x, y]") + (*unit ? " [" + std::string(unit) + "]" : ""), fallback, meaning);
  if (settings.describing() || !settings.has(key)) return {};
  const std::vector<double> two = settings.numbers(key, unit);
  if (two.size() != 2) settings.reject(key, "must be two numbers", std::to_string(two.size()), "write [x, y]");
  return Size{two[0], two[1]};
}

bool is_written(const KindSettings& settings, const char* key) {
  return settings.written(key) != sim::Settings::Written::Nothing;
}

CameraCalibration read_lens(KindSettings& settings) {
  const auto lens = settings.calibration(
      "calibration", "calibration file of OpenCV, ROS or Kalibr (YAML), instead of the other keys of the lens");
  if (!lens) return {};
  for (const char* key : {"focal_length", "aspect", "distortion"})
    if (is_written(settings, key))
      settings.reject(key, "must not be given together with `calibration`", "both", "keep one of the two");
  return *lens;
}

/// Takes the given size, which must be that of the calibration.
void take_size(KindSettings& settings, const Size& written, CameraCalibration& lens) {
  if (lens.image_size && *lens.image_size != written)
    settings.reject(
        "image_size",
        formatted("must be the size of the calibration, %g × %g", (*lens.image_size)[0], (*lens.image_size)[1]),
        formatted("%g × %g", written[0], written[1]),
        "calibrate at the size of the recorded images, or scale the calibration with it");
  lens.image_size = written;
}

/// Rejects pixels outside the image: the calibration then belongs to another image. `flipped`: as in
/// InstrumentSettings.
void require_inside(KindSettings& settings, const Size& size, const std::vector<Points>& readings,
                    const std::array<std::optional<double>, 2>& flipped) {
  Size most{};
  for (const Points& frame : readings)
    for (Index m = 0; m < frame.cols(); ++m)
      for (std::size_t a = 0; a < most.size(); ++a) {
        const double pixel = frame(a, m), counted = flipped[a] ? *flipped[a] - 1 - pixel : pixel;
        if (counted > most[a]) most[a] = counted;
      }
  constexpr double margin = 1.1;  // trackers may follow a marker slightly beyond the image
  if (most[0] > margin * size[0] || most[1] > margin * size[1])
    settings.reject(
        "image_size", "must contain the recorded pixels",
        formatted("pixels up to (%.0f, %.0f) in an image of %.0f × %.0f", most[0], most[1], size[0], size[1]),
        "use the calibration of the images that were tracked, at their size");
}

/// Rejects a focal length in mm, the unit that is printed on lenses.
void reject_millimeters(KindSettings& settings) {
  if (settings.describing() || !settings.is_quantity_in("focal_length", "m")) return;
  settings.reject(
      "focal_length", "must be in pixels", "'" + settings.text("focal_length", "", "") + "'",
      "divide it by the width of a pixel on the sensor: 35 mm · 1280 px / 36 mm = 1244 px for an image of 1280 px "
      "from a sensor of 36 mm");
}

/// Reads which of the camera's own values are fitted.
std::vector<std::string> read_fitted(KindSettings& settings, bool orthographic) {
  settings.document("fit", "list of focal_length, principal_point, image_scale, k1, k2, p1, p2, k3, row_time", "none",
                    "fit parameters of the camera, in addition to its pose (`placement.fit`): k1, k2, p1, p2 and k3 of "
                    "`distortion` start there, or at those of the calibration");
  std::vector<std::string> fitted;
  if (settings.describing() || !settings.has("fit")) return fitted;
  for (const std::string& value : settings.texts("fit", "", "")) {
    const std::string coefficient = "lens_" + value;
    const bool is_of_lens = std::ranges::find(lens_values, coefficient) != lens_values.end();
    const bool known = value == "principal_point" || value == "row_time" ||
                       (orthographic ? value == "image_scale" : value == "focal_length" || is_of_lens);
    if (!known)
      settings.reject("fit",
                      orthographic ? "must list image_scale, principal_point or row_time of an orthographic camera"
                                   : "must list focal_length, principal_point, k1, k2, p1, p2, k3 or row_time of a "
                                     "perspective camera",
                      "'" + value + "'", "write `fit: [focal_length]`");
    if (value == "principal_point")
      fitted.insert(fitted.end(), {"principal_x", "principal_y"});
    else
      fitted.push_back(is_of_lens ? coefficient : value);
  }
  return fitted;
}

LensDistortion read_distortion(KindSettings& settings) {
  settings.document("distortion", "4 or 5 numbers", "none", "coefficients k1, k2, p1, p2, k3 of OpenCV's lens model");
  if (settings.describing() || !settings.has("distortion")) return {};
  const std::vector<double> k = settings.numbers("distortion", "");
  if (k.size() != 4 && k.size() != 5)
    settings.reject("distortion", "must be k1, k2, p1, p2 and, if it is known, k3",
                    std::to_string(k.size()) + " numbers", "write four or five numbers");
  return {k[0], k[1], k[2], k[3], k.size() == 5 ? k[4] : 0};
}

/// Reads `flip: [v]`: pixels that the file counts from the opposite edges of the image are then counted from the usual
/// ones. Returns the size of the image along the flipped axes.
std::array<std::optional<double>, 2> read_flip(KindSettings& settings, const std::optional<Size>& size) {
  std::array<std::optional<double>, 2> flipped;
  settings.document(
      "flip", "list of names", "none",
      "u, v: coordinates that the file counts from the other edge of the image, `[v]` for rows counted upward; "
      "requires the size of the image");
  if (settings.describing() || !settings.has("flip")) return flipped;
  for (const std::string& axis : settings.texts("flip", "", "")) {
    if (axis != "u" && axis != "v") settings.reject("flip", "must list u or v", "'" + axis + "'", "write `flip: [v]`");
    if (!size) settings.reject("flip", "requires `image_size`", "no size", "write `image_size: [1280, 720]`");
    const std::size_t row = axis == "u" ? 0 : 1;
    flipped[row] = (*size)[row];
  }
  return flipped;
}

InstrumentSettings make_camera(KindSettings& settings, const MeasuredBody& measured) {
  InstrumentSettings read;
  Camera camera;
  camera.orthographic =
      settings.choice("projection", {"perspective", "orthographic"},
                      "projection; orthographic: parallel rays, for a distant camera or an unknown scale",
                      "perspective") == "orthographic";
  CameraCalibration lens = read_lens(settings);
  if (const auto size =
          read_two(settings, "image_size", "px", "width and height of the image", "that of the calibration"))
    take_size(settings, *size, lens);
  if (settings.describing() || camera.orthographic)
    read.own_values.emplace_back(
        "image_scale",
        settings.number("image_scale", "px/m",
                        "pixels per meter of an orthographic camera; with `fit: [image_scale]`, its initial value", {},
                        sim::ValueSign::Positive));
  reject_millimeters(settings);
  if (settings.describing() || (!camera.orthographic && !lens.focal_length))
    lens.focal_length = settings.number(
        "focal_length", "px",
        "focal length in pixels (divided by the width of a pixel); with `fit: [focal_length]`, its initial value", {},
        sim::ValueSign::Positive);
  if (!is_written(settings, "calibration") || settings.describing()) {
    lens.aspect = settings.number(
        "aspect", "", "width of a pixel divided by its height, which is the focal length in y divided by that in x", 1,
        sim::ValueSign::Positive);
    lens.distortion = read_distortion(settings);
  }
  if (const auto at = read_two(settings, "principal_point", "px", "point at which the optical axis meets the image",
                               "of the calibration; else the center of the image, ((width − 1)/2, (height − 1)/2): the "
                               "center of pixel 0 is 0, as in OpenCV"))
    lens.principal_point = at;
  const double row_time = settings.number("row_time", "s",
                                          "rolling shutter: time between the exposure of one row of pixels and "
                                          "the next; frame times are those of row 0. With `fit: [row_time]`, its "
                                          "initial value",
                                          0);
  read.free_own_values = read_fitted(settings, camera.orthographic);
  read.flipped = read_flip(settings, lens.image_size);
  if (settings.describing()) return {};
  if (lens.image_size) require_inside(settings, *lens.image_size, measured.readings, read.flipped);
  if (!lens.principal_point && lens.image_size)
    lens.principal_point = {((*lens.image_size)[0] - 1) / 2, ((*lens.image_size)[1] - 1) / 2};
  if (!lens.principal_point)
    settings.reject("principal_point", "is required without `image_size` or `calibration`", "nothing",
                    "write `image_size: [1280, 720]`: the optical axis then meets the middle of the image");
  if (camera.orthographic && measured.moves_frame)
    read.doubts.emplace_back(
        "an orthographic camera does not see how far away it is: of `placement_translation`, the part along its axis "
        "is not determined; this does not affect other parameters");
  if (!camera.orthographic) read.own_values.emplace_back("focal_length", *lens.focal_length);
  read.own_values.emplace_back("principal_x", (*lens.principal_point)[0]);
  read.own_values.emplace_back("principal_y", (*lens.principal_point)[1]);
  for (std::size_t k = 0; k < lens_values.size(); ++k)
    read.own_values.emplace_back(lens_values[k], coefficients(lens.distortion)[k]);
  read.own_values.emplace_back("row_time", row_time);
  camera.aspect = lens.aspect;
  camera.image_size = lens.image_size;
  read.instrument = make_camera_instrument(camera);
  return read;
}

}  // namespace

const MeasurementKind& camera_kind() {
  static const MeasurementKind kind{
      .name = "camera",
      .meaning = "pixels in the image of a camera",
      .components = {"u", "v"},
      .unit = "px",
      .shown_unit = {"px"},
      .planned_sigma = 0.5,
      .own_values = {{"focal_length", "px", 0, 1, sim::ValueSign::Positive, 1},
                     {"principal_x", "px"},
                     {"principal_y", "px"},
                     {"image_scale", "px/m", 0, 1, sim::ValueSign::Positive, 1},
                     {"lens_k1", "", 0, 1, sim::ValueSign::Any, 0, "measurement: {camera: {fit: [k1]}}"},
                     {"lens_k2", "", 0, 1, sim::ValueSign::Any, 0, "measurement: {camera: {fit: [k2]}}"},
                     {"lens_p1", "", 0, 1, sim::ValueSign::Any, 0, "measurement: {camera: {fit: [p1]}}"},
                     {"lens_p2", "", 0, 1, sim::ValueSign::Any, 0, "measurement: {camera: {fit: [p2]}}"},
                     {"lens_k3", "", 0, 1, sim::ValueSign::Any, 0, "measurement: {camera: {fit: [k3]}}"},
                     {"row_time", "s", 0, 1, sim::ValueSign::Any, 0, "measurement: {camera: {fit: [row_time]}}"}},
      .geometry = {.registration = Registration::CameraPose,
                   .describe_axes = describe_image_axes,
                   .center = {"principal_x", "principal_y"},
                   .shift = "placement",
                   .check_shift = "check `placement` and `principal_point` of the camera"},
      .make = make_camera};
  return kind;
}

void set_lens(const LensDistortion& lens, RecordingFrame& frame) {
  for (std::size_t k = 0; k < lens_values.size(); ++k) frame.set_own(lens_values[k], coefficients(lens)[k]);
}

std::shared_ptr<const Instrument> make_camera_instrument(const Camera& camera) {
  return std::make_shared<const CameraInstrument>(camera);
}

}  // namespace pithball::optim
