#pragma once
#include <optional>
#include <string>
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "optim/measurement/measurement_kinds.hpp"
#include "optim/observation/observation.hpp"
#include "optim/observation/readings.hpp"

namespace pithball::optim {

/// Where the M markers of a recording were seen and where predictions put them, in the model's frame [m] and on its
/// clock. Where displacements are compared, what was seen is put on the model's own reference:
///    recorded = R (x_observed − observed_reference) + model_reference,
/// so that model − recorded is the residual, in the model's frame, whatever the reference; R and the clock are those of
/// the observation's recording_frame. Where R mixes a missing component with others, the model's own stands in for it,
/// so that model − recorded still is the residual of what was seen. Readings of other kinds stay as they are; the
/// model's components that the kind has not are 0, the recorded ones NaN.
struct MarkerTracks {
  std::string recording;
  const MeasurementKind* kind = &point_kind();
  std::vector<std::string> markers;      ///< M names
  std::vector<double> times;             ///< G frames in which a marker was seen, simulated time [s]
  std::vector<Part> parts;               ///< G: whether the frame is fitted or forecast
  std::vector<bool> validation_markers;  ///< M: whether the marker is kept out of the fit; empty: none is
  std::vector<Points> recorded;          ///< G arrays 3×M; NaN: missing
  std::vector<Points> model;             ///< G arrays 3×M; NaN from the step on at which the model could not go on
  /// Baseline "static", G arrays 3×M: every marker stays where it was seen first (in the forecast part of a
  /// recording that is fitted before: last); displacements from a given reference stay 0. NaN: never seen before.
  std::vector<Points> static_baseline;
  /// Baseline "constant velocity", likewise: a straight line through the first (before a forecast: last) two sights of
  /// each component.
  std::vector<Points> constant_velocity;
  std::string failure;              ///< why the model could not be run to the end; empty: it could
  sim::Index unreliable_step = -1;  ///< first step whose derivative is unreliable (nearly singular stage); −1: none

  Part part(std::size_t frame, std::size_t marker) const {
    const bool is_held_out = parts[frame] == Part::Fit && !validation_markers.empty() && validation_markers[marker];
    return is_held_out ? Part::ValidationMarker : parts[frame];
  }
};

/// Follows the markers through a run of the (fitted) scenario that somebody else makes.
class TrackRecorder {
 public:
  /// Throws InvalidArgument as MeasurementModel does.
  TrackRecorder(const diff::Scenario& scenario, const Observation& observation);
  TrackRecorder(const TrackRecorder&) = delete;  // readings_ looks at camera_
  TrackRecorder& operator=(const TrackRecorder&) = delete;

  /// The last step that is looked at, −1 where nothing was seen; later ones may be shown.
  Index last_step() const { return camera_ ? camera_->last_step() : -1; }
  /// The states, from step 0 on.
  void add_state(Index n, const sim::State& state);
  /// After the run, which ended so.
  MarkerTracks finish(const diff::RolloutStatus& status);

 private:
  /// What was seen, and the baselines, once it is known where the model's markers start.
  void draw_recorded();

  Observation observation_;
  sim::Model model_;
  double time_step_;
  MarkerTracks tracks_;
  std::vector<std::size_t> frames_;         // in which something was seen
  std::optional<MeasurementModel> camera_;  // without any: nothing to follow
  std::optional<Readings> readings_;        // of the camera
  Points start_;                            // of the model's markers; the origin where no start was found
  Index reached_ = -1;
};

/// Runs the (fitted) scenario and follows the markers. Throws InvalidArgument as MeasurementModel does.
MarkerTracks compute_tracks(const diff::Scenario& scenario, const Observation& observation);

}  // namespace pithball::optim
