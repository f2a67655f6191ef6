#pragma once
#include "app/spec/measurement_spec.hpp"

namespace pithball::app {

/// Reads `measurement.camera` of a recording: lens, size of the image, shutter, and what of them is fitted; from an
/// OpenCV calibration file if one is named.
InstrumentSettings read_camera(Node settings, const MeasuredBody& measured);

}  // namespace pithball::app
