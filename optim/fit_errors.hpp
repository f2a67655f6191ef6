#pragma once
#include <limits>
#include <string>
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "optim/observation.hpp"
#include "optim/observer.hpp"

namespace pithball::optim {

/// Root mean square distances between simulated and observed markers [m]: √(Σ |d|² / samples), a sample being one
/// marker in one frame with the components that were observed. NaN where there are no samples.
struct PositionErrors {
  Index samples = 0;
  double model = std::numeric_limits<double>::quiet_NaN();
  /// Baseline "does not move": every marker stays where it was seen first (in the forecast part of a recording that is
  /// fitted before: last); displacements from a reference stay 0.
  double still = std::numeric_limits<double>::quiet_NaN();
  /// Baseline "constant velocity": a straight line through the first (before a forecast: last) two sights of each
  /// component.
  double constant_velocity = std::numeric_limits<double>::quiet_NaN();
};

/// The errors of one part of one recording.
struct RecordingErrors {
  std::string recording;
  Part part = Part::Fit;
  PositionErrors all;
  std::vector<PositionErrors> markers;  ///< M
  std::string failure;                  ///< why the model could not be run to the end; empty: it could
  Index unreliable_step = -1;  ///< first step whose derivative is unreliable (nearly singular stage); −1: none
};

/// Runs the (fitted) scenario and compares; a part without samples gives samples = 0 and no run.
RecordingErrors compute_errors(const diff::Scenario& scenario, const Observation& observation, Part part);

/// The errors of all recordings' `part` together.
PositionErrors pool(const std::vector<RecordingErrors>& errors, Part part);

}  // namespace pithball::optim
