#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/spec/experiment.hpp"
#include "app/spec/finding_answers.hpp"
#include "app/spec/marker_attachment.hpp"
#include "app/spec/measurement_spec.hpp"
#include "app/spec/recording_frame_spec.hpp"
#include "datasets/capture/capture.hpp"
#include "optim/observation/observation.hpp"
#include "optim/parameter/parameter.hpp"
#include "optim/uncertainty/carried_error.hpp"

namespace pithball::app {

/// Initial state of a recording's simulation.
enum class InitialStateKind {
  FromSystem,     ///< as written under `system`
  FromRecording,  ///< estimated from the first frames: parameters with a prior from them, or held values with their
                  ///< error
  Free,  ///< positions and velocities are parameters of this recording, starting from the recording where it contains
         ///< them
  Equilibrium,  ///< the model's static equilibrium near the written state, with velocity 0
};

/// How particles without a marker of their own follow the markers, with InitialStateKind::FromRecording.
enum class InitialShape {
  Rigid,   ///< the body as written under `system`, moved rigidly
  Smooth,  ///< that body, deflected smoothly (smooth_start.hpp)
};

/// Estimate of one component of a particle's initial state from the first frames, as the width of a prior around the
/// scenario's.
struct StartBelief {
  Index particle = 0;             ///< number of the particle
  int component = 0;              ///< 0, 1, 2: x, y, z
  double position_deviation = 0,  ///< standard deviation of the position [m]
      velocity_deviation = 0;     ///< of the velocity [m/s]
};

/// One item of `fit.recordings`: the data and their model.
struct Recording {
  std::string name,                                           ///< unique
      label;                                                  ///< that of `recordings: label`; empty: none
  const optim::MeasurementKind* kind = &optim::point_kind();  ///< its measurement kind
  datasets::Capture capture,                                  ///< the selected frames
      lead_in = {};                                           ///< frames before them (RecordedMotion)
  optim::Observation observation;                             ///< its samples, and how markers follow particles
  diff::Scenario scenario;                                    ///< what simulates it
  Body body;                                                  ///< the body of that scenario, with its `set:` applied
  InitialStateKind initial_state = InitialStateKind::FromSystem;  ///< how the simulation begins
  InitialShape initial_shape = InitialShape::Rigid;               ///< with FromRecording
  bool planned = false;  ///< not recorded yet (planned_spec.hpp): every marker counts as recorded, at the origin
  std::map<std::string, Vector> offsets;  ///< value offsets by name, one entry for each owner
  Points rest =
      {};  ///< rest positions of the markers, 3×M [m], in the recording's frame of reference; empty: not requested
  bool refers_to_rest = false;                   ///< displacements from rest are compared (rest_reference.hpp)
  bool begins_within = false;                    ///< its first frame was found within a file (RecordedMotion)
  FreeRecordingFrame free_recording_frame = {};  ///< which values of clock and placement the fit changes
  std::vector<std::string> notes =
      {};  ///< on its own experiment (`set:`), where they are not on that of all recordings
  std::vector<std::string> free_own_values = {};  ///< own values of its instrument that the fit changes
  std::vector<StartBelief> start_beliefs =
      {};  ///< FromRecording: parts of the initial state that are fitted; empty: it is held
  std::vector<optim::ValueError> value_errors = {};  ///< of held values: an initial state, a registered placement
  std::vector<std::optional<WantedAttachment>> wanted_attachments = {};  ///< by marker; empty: its particles are given
  std::vector<double> attachment_distance =
      {};                                ///< by marker, to its recorded position [m]; NaN: its particles are given
  optim::RecordingReading reading = {};  ///< how the file reads it, for findings about that
  FindingAnswers answers = {};           ///< what the file says to them
};

/// The experiment of one recording: without `fit:`, with the recording's `set:` applied (null: none).
ExperimentDocument own_document(const ExperimentDocument& document, const Tree* set);

/// Reads an item of `fit.recordings` (the node). `base`: the experiment without overrides; `document`: the document
/// that `set:` changes. Markers without a sigma get NaN; take_recorded_noise replaces it.
Recording read_recording(Node node, const Experiment& base, const ExperimentDocument& document,
                         std::optional<double> default_sigma);

/// Adds the free part of the initial state to the parameters of recording number `index`: nuisance parameters, unless
/// they are declared already.
void add_free_initial_state(const Recording& recording, Index index, std::vector<optim::Parameter>& parameters);

}  // namespace pithball::app
