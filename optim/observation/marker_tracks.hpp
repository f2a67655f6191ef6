#pragma once
#include <optional>
#include <string>
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "optim/measurement/kinds/point.hpp"
#include "optim/observation/observation.hpp"
#include "optim/observation/readings.hpp"

namespace pithball::optim {

/// Recorded and predicted positions of the M markers of a recording, in the model's frame of reference [m] and on its
/// clock. If displacements are compared, the recorded ones are added to the model's reference:
///    recorded = R (x_observed − reference.observed) + reference.model,
/// so that model − recorded is the residual in the model's frame of reference, for any reference; R and the clock are
/// those of the observation's recording_frame. If R mixes a missing component with others, the model's own replaces it,
/// so that model − recorded still is the residual of what was recorded. Readings of other kinds are unchanged;
/// components that the kind does not have are 0 in the model and NaN in the recording.
struct MarkerTracks {
  std::string recording;                        ///< as in Scenario::name
  const MeasurementKind* kind = &point_kind();  ///< never null
  std::vector<std::string> markers;             ///< M names
  std::vector<double> times;                    ///< G frames with at least one sample, simulated time [s]
  std::vector<Part> parts;                      ///< G: whether the frame is fitted or predicted
  std::vector<bool> validation_markers;         ///< M: whether the marker is a validation marker; empty: none is
  std::vector<Points> recorded;                 ///< G arrays 3×M; NaN: missing
  std::vector<Points> model;                    ///< G arrays 3×M; NaN from the step at which the simulation failed
  /// Baseline "static", G arrays 3×M: every marker stays at its first recorded position (in the validation frames of a
  /// fitted recording: the last fitted one); displacements from a given reference stay 0. NaN: not recorded before.
  std::vector<Points> static_baseline;
  /// Baseline "constant velocity", likewise: a straight line through the first (in validation frames: last fitted) two
  /// samples of each component.
  std::vector<Points> constant_velocity;
  std::string failure;              ///< why the model could not be simulated to the end; empty on success
  sim::Index unreliable_step = -1;  ///< first step whose derivative is unreliable (`diff::where_unreliable`); −1: none

  /// To which part a sample belongs: in a fitted frame, a validation marker is held out.
  Part part(std::size_t frame, std::size_t marker) const {
    const bool is_held_out = parts[frame] == Part::Fit && !validation_markers.empty() && validation_markers[marker];
    return is_held_out ? Part::ValidationMarker : parts[frame];
  }
};

/// Computes the tracks during a run of the (fitted) scenario that the caller makes.
class TrackRecorder {
 public:
  /// Throws InvalidArgument as MeasurementModel does.
  TrackRecorder(const diff::Scenario& scenario, const Observation& observation);
  TrackRecorder(const TrackRecorder&) = delete;  // readings_ refers to camera_
  TrackRecorder& operator=(const TrackRecorder&) = delete;

  /// The last step that is used, −1 without samples; later ones may be passed.
  Index last_step() const { return camera_ ? camera_->last_step() : -1; }
  /// Pass the states in order, from step 0.
  void add_state(Index n, const sim::State& state);
  /// Call after the run, with its result.
  MarkerTracks finish(const diff::RolloutStatus& status);

 private:
  /// Sets recorded positions and baselines, once the initial positions of the model's markers are known.
  void draw_recorded();

  Observation observation_;
  sim::Model model_;
  double time_step_;
  MarkerTracks tracks_;
  std::vector<std::size_t> frames_;         // with at least one sample
  std::optional<MeasurementModel> camera_;  // none: nothing to compute
  std::optional<Readings> readings_;        // of the camera
  Points start_;                            // of the model's markers; the origin if no initial state was found
  Index reached_ = -1;
};

/// Runs the (fitted) scenario and computes the tracks. Throws InvalidArgument as MeasurementModel does.
MarkerTracks compute_tracks(const diff::Scenario& scenario, const Observation& observation);

/// The attachment of a marker recorded at a point: Σ weight · x_vertex, and its distance from the point.
struct Attachment {
  std::vector<std::pair<Index, double>> vertices;  ///< (vertex, weight); weights are > 0 and add up to 1
  double distance = 0;                             ///< [m]
};

/// The vertex nearest to `point` [m] among `vertices` (3×N, N ≥ 1); the first of several.
Attachment attach_to_vertex(const Points& vertices, const Vec3& point);

/// The point of a face nearest to `point`, as barycentric weights of a triangle's corners; polygons are treated as fans
/// of triangles around their first corner. Empty if there are no faces. Nearest point of a triangle: Ericson 2005,
/// Real-Time Collision Detection, section 5.1.5.
std::optional<Attachment> attach_to_face(const Points& vertices, const std::vector<std::vector<Index>>& faces,
                                         const Vec3& point);

}  // namespace pithball::optim
