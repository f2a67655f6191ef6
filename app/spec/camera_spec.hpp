#pragma once
#include <memory>

#include "app/yaml/node.hpp"
#include "optim/measurement/measurement_kinds.hpp"

namespace pithball::app {

struct Recording;

/// Reads `measurement.camera` of a recording: lens, size of the image, shutter, and what of them is fitted; from an
/// OpenCV calibration file if one is named. Writes the camera's own values into the recording's recording_frame.
std::shared_ptr<const optim::Instrument> read_camera(Node settings, Recording& recording);

}  // namespace pithball::app
