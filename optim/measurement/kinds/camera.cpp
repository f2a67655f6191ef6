#include <cmath>

#include "optim/measurement/measurement_kinds.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Where in the values of a recording_frame a camera finds its own.
struct CameraValues {
  Index focal_length = recording_frame_offset("focal_length"), principal_x = recording_frame_offset("principal_x"),
        principal_y = recording_frame_offset("principal_y"), image_scale = recording_frame_offset("image_scale");
};

const CameraValues& camera_values() {
  static const CameraValues values;
  return values;
}

/// A point of the undistorted image plane, and where the lens puts it: d = ∂distorted/∂plane.
struct Distorted {
  Eigen::Vector2d point;
  Eigen::Matrix2d slope;
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
  return found;
}

class CameraInstrument final : public Instrument {
 public:
  explicit CameraInstrument(const Camera& camera) : camera_(camera) {}
  const MeasurementKind& kind() const override { return camera_kind(); }
  std::vector<Input> inputs(Index, const Input& followed) const override { return {followed}; }
  double delay(const Vec3& recorded) const override {
    return camera_.row_time == 0 || std::isnan(recorded[1]) ? 0 : camera_.row_time * recorded[1];
  }

  std::string reject(const Vec3& reading) const override {
    if (!camera_.image_size) return "";
    const auto [width, height] = *camera_.image_size;
    // The center of the first pixel is at 0, or at 0.5 for those who count from its corner; NaN is not outside.
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
    const Distorted lens = distort(camera_.distortion, plane);
    reading.head<2>() =
        size.cwiseProduct(lens.point) + Eigen::Vector2d(from.values[at.principal_x], from.values[at.principal_y]);
    if (!slope) return nullptr;
    Slope2 projected;
    projected << 1 / seen[2], 0, -plane[0] / seen[2], 0, 1 / seen[2], -plane[1] / seen[2];
    by_seen = size.asDiagonal() * lens.slope * projected;
    slope->frame.col(at.focal_length).head<2>() = Eigen::Vector2d(lens.point[0], camera_.aspect * lens.point[1]);
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

}  // namespace

const MeasurementKind& camera_kind() {
  static const MeasurementKind kind{"camera",
                                    "pixels in the image of a camera",
                                    {"u", "v"},
                                    "px",
                                    "px",
                                    1,
                                    0.5,
                                    0,
                                    {{"focal_length", "px", 0, 1, sim::ValueSign::Positive, 1},
                                     {"principal_x", "px"},
                                     {"principal_y", "px"},
                                     {"image_scale", "px/m", 0, 1, sim::ValueSign::Positive, 1}}};
  return kind;
}

std::shared_ptr<const Instrument> make_camera_instrument(const Camera& camera) {
  return std::make_shared<const CameraInstrument>(camera);
}

}  // namespace pithball::optim
