#pragma once
#include <string>

#include "app/experiment/body.hpp"
#include "app/yaml/node.hpp"
#include "datasets/capture/capture.hpp"
#include "optim/measurement/kind_settings.hpp"
#include "optim/measurement/measurement_kinds.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::app {

/// Reads a calibration of OpenCV, ROS or Kalibr in YAML. That of OpenCV's FileStorage has a line `%YAML:1.0` and the
/// tag `!!opencv-matrix`; with ROS it shares camera_matrix (3×3), distortion_coefficients (4 or 5 numbers; more must be
/// 0), image_width and image_height. A camchain of Kalibr has one camera, cam0, with intrinsics, distortion_coeffs (4
/// numbers) and resolution. Throws InvalidArgument with file and place if an entry is missing or has another shape, for
/// lens models other than plumb_bob and radtan, which it names, and for files of other formats.
optim::CameraCalibration read_camera_calibration(const std::string& file);

/// What the numbers of an item of `fit.recordings` are: `measurement: camera`, or {camera: settings}; positions of
/// points if it is left out.
const optim::MeasurementKind& read_measurement_kind(Node& recording);

/// `scale` of the item as written: the factor from the file's unit to that of the kind; 1 without it.
double read_file_unit(Node& recording, const optim::MeasurementKind& kind);

/// A capture as an observation of a kind: one marker for each column, attached to nothing.
optim::Observation observe(const datasets::Capture& capture, const optim::MeasurementKind& kind);

/// Reads the settings of a kind, `measurement: {KIND: settings}`, which name particles and groups of the body. Throws
/// InvalidArgument where they do not suit it.
optim::InstrumentSettings read_instrument(Node& recording, const optim::MeasurementKind& kind, const Body& body,
                                          const optim::MeasuredBody& measured);

}  // namespace pithball::app
