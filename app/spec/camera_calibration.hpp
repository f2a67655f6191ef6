#pragma once
#include <array>
#include <optional>
#include <string>

#include "app/yaml/node.hpp"
#include "optim/measurement/measurement_kinds.hpp"

namespace pithball::app {

/// What is known of a camera's lens.
struct CameraCalibration {
  std::optional<double> focal_length;                    ///< in x [px]
  double aspect = 1;                                     ///< f_y/f_x
  std::optional<std::array<double, 2>> principal_point;  ///< [px]
  std::optional<std::array<double, 2>> image_size;       ///< width and height [px]
  optim::LensDistortion distortion;                      ///< default: none

  /// Takes a written size; complains at `node` if it differs from that of the calibration.
  void check_size(Node& node, const std::array<double, 2>& written);
};

/// Reads a calibration of OpenCV, ROS or Kalibr in YAML. That of OpenCV's FileStorage has a line `%YAML:1.0` and the
/// tag
/// `!!opencv-matrix`; with ROS it shares camera_matrix (3×3), distortion_coefficients (4 or 5 numbers; more must be 0),
/// image_width and image_height. A camchain of Kalibr has one camera, cam0, with intrinsics, distortion_coeffs (4
/// numbers) and resolution. Throws InvalidArgument with file and place where something of it misses or is of another
/// shape, on other lens models than plumb_bob or radtan, which it names, and on files of other formats.
CameraCalibration read_camera_calibration(const std::string& file);

}  // namespace pithball::app
