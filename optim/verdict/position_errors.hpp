#pragma once
#include <limits>
#include <string>
#include <vector>

#include "optim/measurement/kinds/point.hpp"
#include "optim/observation/marker_tracks.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::optim {

/// RMS distances between predicted and recorded markers [m]: √(Σ |d|² / samples), where a sample is one marker in one
/// frame with its recorded components. NaN without samples.
struct PositionErrors {
  Index samples = 0;        ///< number of markers and frames with at least one recorded component
  Index with_baseline = 0;  ///< those of them with a component that has a baseline
  double model = std::numeric_limits<double>::quiet_NaN();  ///< of the simulation
  /// Error of the baselines in MarkerTracks. A component that was never recorded before has no baseline and is skipped.
  double static_baseline = std::numeric_limits<double>::quiet_NaN();
  double constant_velocity = std::numeric_limits<double>::quiet_NaN();  ///< likewise
  const MeasurementKind* kind = &point_kind();  ///< null: different units, which have no common error
};

/// The errors of one part of one recording.
struct RecordingErrors {
  std::string recording;                ///< as in Scenario::name
  Part part = Part::Fit;                ///< whose samples are counted
  PositionErrors all;                   ///< over all markers
  std::vector<PositionErrors> markers;  ///< M
  std::string failure;  ///< why the model could not be simulated to the end of the part; empty on success
};

/// Errors of the model, over all recordings and by recording and part.
struct FitErrors {
  PositionErrors fit,                       ///< of the fitted samples of all recordings
      validation_frames,                    ///< of all validation frames
      validation_markers;                   ///< of all validation markers in fitted frames
  std::vector<RecordingErrors> recordings;  ///< by recording and part, without parts that have no samples
};

/// The errors over one part of a recording.
RecordingErrors compute_errors(const MarkerTracks& tracks, Part part);

/// For each frame, G: over its markers.
std::vector<PositionErrors> compute_errors_over_time(const MarkerTracks& tracks);

/// The common measurement kind; null if their units differ.
const MeasurementKind* common_kind(const std::vector<RecordingErrors>& errors);

/// The errors of one part of all recordings together.
PositionErrors pool(const std::vector<RecordingErrors>& errors, Part part);
/// The errors of all parts of all recordings together, and those of each.
FitErrors pool(std::vector<RecordingErrors> recordings);

/// Errors of markers in fit.json.
void fields(FieldVisitor& v, PositionErrors& e);
/// An entry of `errors.recordings` in fit.json.
void fields(FieldVisitor& v, RecordingErrors& e);
/// `errors` of fit.json.
void fields(FieldVisitor& v, FitErrors& errors);

}  // namespace pithball::optim
