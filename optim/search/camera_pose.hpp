#pragma once
#include <optional>

#include "optim/measurement/instrument.hpp"

namespace pithball::optim {

/// Points with known positions, as seen by a camera.
struct CameraMarks {
  Points places;  ///< 3×n [m]
  Points pixels;  ///< 3×n, of which u and v are used
};

/// Settings of a pose search, and the model whose body the camera sees.
struct CameraSearch {
  const Instrument& camera;   ///< an instrument of the camera kind; must outlive this object
  const sim::Model& model;    ///< must outlive this object
  RecordingFrame start;       ///< initial values of the camera's own values; its pose is not used
  bool focal_length = false;  ///< also estimate the focal length
};

/// The pose (rotation, translation), and optionally the focal length, with the least sum of squared pixel errors. The
/// search starts from the 24 best of a grid over all view directions and image rotations. Throws InvalidArgument on
/// fewer than four points (six with the focal length), or collinear points.
RecordingFrame register_camera(const CameraSearch& search, const CameraMarks& marks);

/// Another pose that explains the marks as well as `found`: a flat body that is seen without much perspective looks the
/// same if it leans the other way. It is rotated by at least 0.1 rad, and its misfit is at most 1.5 times as large.
std::optional<RecordingFrame> find_rival_pose(const CameraSearch& search, const CameraMarks& marks,
                                              const RecordingFrame& found);

/// RMS distance between recorded and projected points [px]; ∞ if one is behind the camera.
double camera_misfit(const CameraSearch& search, const CameraMarks& marks);

/// Covariance of (rotation, translation) for errors with standard deviation `sigma` [px] in every pixel coordinate, to
/// first order.
Eigen::Matrix<double, 6, 6> camera_pose_covariance(const CameraSearch& search, const CameraMarks& marks, double sigma);

}  // namespace pithball::optim
