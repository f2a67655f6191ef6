#pragma once
#include <string>

#include "optim/measurement/kind_settings.hpp"

namespace pithball::app {

/// Reads a calibration of OpenCV, ROS or Kalibr in YAML. That of OpenCV's FileStorage has a line `%YAML:1.0` and the
/// tag `!!opencv-matrix`; with ROS it shares camera_matrix (3×3), distortion_coefficients (4 or 5 numbers; more must be
/// 0), image_width and image_height. A camchain of Kalibr has one camera, cam0, with intrinsics, distortion_coeffs (4
/// numbers) and resolution. Throws InvalidArgument with file and place where something of it misses or is of another
/// shape, on other lens models than plumb_bob or radtan, which it names, and on files of other formats.
optim::CameraCalibration read_camera_calibration(const std::string& file);

}  // namespace pithball::app
