#pragma once
#include <optional>

#include "optim/measurement/instrument.hpp"

namespace pithball::optim {

/// Marks of known place that a camera sees.
struct CameraMarks {
  Points places;  ///< 3×n [m]
  Points pixels;  ///< 3×n, of which u and v count
};

/// What is to be found besides the pose, and of which body: cameras look at models as all instruments do.
struct CameraSearch {
  const Instrument& camera;
  const sim::Model& model;
  RecordingFrame start;       ///< with the camera's own values; its pose is not looked at
  bool focal_length = false;  ///< find it too
};

/// The pose (rotation, translation) from which the camera sees the marks with the least sum of squared pixels, and its
/// focal length if that is wanted. It is searched from 24 views of the marks, the best of a grid over all directions
/// and turns of the image. Throws InvalidArgument on fewer than four marks (six with the focal length), or marks in a
/// line.
RecordingFrame register_camera(const CameraSearch& search, const CameraMarks& marks);

/// Another pose that explains the marks as well as `found`: a flat body that is seen without much perspective looks the
/// same if it leans the other way. It is turned by at least 0.1 rad, and its misfit is at most 1.5 times as large.
std::optional<RecordingFrame> find_rival_pose(const CameraSearch& search, const CameraMarks& marks,
                                              const RecordingFrame& found);

/// RMS distance of seen and projected marks [px]; ∞ where one is behind the camera.
double camera_misfit(const CameraSearch& search, const CameraMarks& marks);

/// Covariance of (rotation, translation) for errors of standard deviation `sigma` [px] of every pixel, to first order.
Eigen::Matrix<double, 6, 6> camera_pose_covariance(const CameraSearch& search, const CameraMarks& marks, double sigma);

}  // namespace pithball::optim
