#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "datasets/capture/capture.hpp"

namespace pithball::experiments {

/// A fault of how a motion is recorded, or of how it is supposed to start.
struct MeasurementFault {
  std::string name;                             ///< "camera turned"
  std::string value;                            ///< `optim::Candidate::value` that names it: "placement_rotation"
  void (*spoil)(datasets::Capture&) = nullptr;  ///< makes a right recording wrong
  double push = 0;  ///< velocity along x and y that the recorded body has at its start, and the fit does not [m/s]
  bool is_camera = false;  ///< the recording consists of pixels
};

/// Ten of them: a clock 5 ms late or early or 0.5 % fast, a recording turned by 1°, moved by 2 mm along each axis or 1
/// % too large, a drift of 6 mm, a marker 6 mm off, a push of 3 cm/s, and a focal length that is 2 % wrong.
const std::vector<MeasurementFault>& measurement_faults();

/// The fault with this name; null if there is none.
const MeasurementFault* find_measurement_fault(const std::string& name);

/// Writes the pixels of a recording, as a camera 1.6 m in front of it sees them, with a focal length that is 2 % longer
/// than that of `camera_settings`.
void write_pixels(const datasets::Capture& capture, const std::filesystem::path& file);

/// The settings of a recording by that camera, as items of a YAML mapping.
std::string camera_settings();

}  // namespace pithball::experiments
