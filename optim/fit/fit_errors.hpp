#pragma once
#include <limits>
#include <string>
#include <vector>

#include "optim/observation/marker_tracks.hpp"

namespace pithball::optim {

/// Root mean square distances between predicted and observed markers [m]: √(Σ |d|² / samples), a sample being one
/// marker in one frame with the components that were observed. NaN where there are no samples.
struct PositionErrors {
  Index samples = 0;
  double model = std::numeric_limits<double>::quiet_NaN();
  /// Of the baselines in MarkerTracks. A component that was never seen before has none: nothing is held against it.
  double static_baseline = std::numeric_limits<double>::quiet_NaN();
  double constant_velocity = std::numeric_limits<double>::quiet_NaN();
  const MeasurementKind* kind = &point_kind();  ///< null: of several units together, which have no common error
};

/// The errors of one part of one recording.
struct RecordingErrors {
  std::string recording;
  Part part = Part::Fit;
  PositionErrors all;
  std::vector<PositionErrors> markers;  ///< M
  std::string failure;                  ///< why the model could not be run to the end of the part; empty: it could
};

/// Over one part of a recording.
RecordingErrors compute_errors(const MarkerTracks& tracks, Part part);

/// Of each frame, G: over its markers.
std::vector<PositionErrors> compute_errors_over_time(const MarkerTracks& tracks);

/// The measurement kind of all of them; null: their units differ.
const MeasurementKind* common_kind(const std::vector<RecordingErrors>& errors);

/// The errors of all recordings' `part` together.
PositionErrors pool(const std::vector<RecordingErrors>& errors, Part part);

}  // namespace pithball::optim
