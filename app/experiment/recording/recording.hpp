#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/experiment/experiment.hpp"
#include "app/experiment/initial_state.hpp"
#include "app/experiment/recording/recorded_motion.hpp"
#include "app/experiment/recording/recording_frame_spec.hpp"
#include "app/yaml/node.hpp"
#include "optim/measurement/kinds/point.hpp"
#include "optim/observation/observation.hpp"
#include "optim/uncertainty/held_error.hpp"

namespace pithball::app {

/// What the fit may change in a recording itself, in addition to its initial state.
struct RecordingFreedom {
  FreeClock clock = {};                      ///< of its clock
  FreePlacement placement = {};              ///< of its placement
  std::vector<std::string> own_values = {};  ///< values of its instrument
};

/// What simulates a recording: the experiment with the recording's `set:` applied, as long as the recording lasts.
struct OwnExperiment {
  diff::Scenario scenario;              ///< its simulation
  Body body;                            ///< of that scenario
  std::vector<std::string> notes = {};  ///< where they are not on the experiment of all recordings
};

/// What is known about a recording's values without the fit.
struct KnownValues {
  std::map<std::string, Vector> offsets;  ///< value offsets by name, one entry for each owner
  std::vector<optim::ValueError> errors;  ///< of held values: an initial state, a registered placement
};

/// How the experiment file describes a recording to screening.
struct ScreenedReading {
  optim::RecordingReading reading;  ///< how the file reads the recording, for findings about that
  FindingAnswers answers;           ///< to findings
};

/// One item of `fit.recordings`: the data and their model.
struct Recording {
  std::string name,                                           ///< unique
      label;                                                  ///< the label of `recordings: label`; empty: none
  const optim::MeasurementKind* kind = &optim::point_kind();  ///< its measurement kind
  bool planned = false;   ///< not recorded yet (recording_list.hpp): every marker counts as recorded, at the origin
  RecordedMotion motion;  ///< the selected frames of its file
  optim::Observation observation;                ///< its samples, and how markers follow particles
  OwnExperiment own;                             ///< what simulates it
  InitialState start = {};                       ///< how the simulation begins
  RecordingFreedom free = {};                    ///< what the fit may change in the recording itself
  KnownValues known = {};                        ///< what is known about its values
  std::vector<double> attachment_distance = {};  ///< of the markers (attach_markers)
  ScreenedReading screening = {};                ///< how the file describes it to screening

  /// Its markers, and where their particles are.
  PlacedMarkers placed() const;
};

/// Reads an item of `fit.recordings` (the node). `base`: the experiment without overrides; `document`: the document
/// that `set:` changes. Markers without a sigma get NaN; take_recorded_noise replaces it.
Recording read_recording(Node node, const Experiment& base, const ExperimentDocument& document,
                         std::optional<double> default_sigma);

/// Standard errors of the recording's rest, 3×M [m], from the scatter of its frames; where that is unknown (a single
/// frame) the sigma of the recording. To be called once the noise is known.
Points rest_errors(const Recording& recording);

/// Adds the error of the rest of a recording that begins at the model's equilibrium to those that its fit holds.
void hold_rest_error(Recording& recording);

/// Makes an observation compare displacements from the model's equilibrium with displacements from the recording's rest
/// (3×M [m]), once the initial state is set as displacements from the equilibrium. Throws InvalidArgument at the
/// recording's node if the rest lacks a marker that is used.
void refer_to_rest(const Node& recording_node, const Points& rest, diff::Scenario& scenario, optim::Observation& seen);

/// The delay of the last row that a recording has seen; its count is 0 where readings have no delay.
optim::Delay largest_delay(const optim::Observation& seen);

/// Bounds of the fit parameter `row_time` of a recording [s]; empty: its readings have no delay. An image is read out
/// before the next one, and not before the start of the simulation:
///    −min(Δt, t₁)/rows ≤ row_time ≤ Δt/rows,
/// Δt the shortest time between frames, t₁ the earliest simulated time of the first one, rows the largest recorded row
/// number; wider where its initial value lies outside.
std::optional<Range> row_time_bounds(const Recording& recording);

/// Lengthens a simulation that covers the frames of its recording by the delay of their last row: row_time · rows, the
/// largest within `row_time_bounds` where row_time is fitted.
void cover_row_delay(Recording& recording);

}  // namespace pithball::app
