#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/spec/experiment.hpp"
#include "app/spec/finding_answers.hpp"
#include "app/spec/initial_state.hpp"
#include "app/spec/recorded_motion.hpp"
#include "app/spec/recording_frame_spec.hpp"
#include "optim/measurement/kinds/point.hpp"
#include "optim/observation/observation.hpp"
#include "optim/uncertainty/carried_error.hpp"

namespace pithball::app {

/// What the fit changes of a recording itself, besides its initial state.
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

/// What is known of a recording's values without the fit.
struct KnownValues {
  std::map<std::string, Vector> offsets;  ///< value offsets by name, one entry for each owner
  std::vector<optim::ValueError> errors;  ///< of held values: an initial state, a registered placement
};

/// What the file says of a recording to screening.
struct ScreenedReading {
  optim::RecordingReading reading;  ///< how it reads the recording, for findings about that
  FindingAnswers answers;           ///< to findings
};

/// One item of `fit.recordings`: the data and their model.
struct Recording {
  std::string name,                                           ///< unique
      label;                                                  ///< that of `recordings: label`; empty: none
  const optim::MeasurementKind* kind = &optim::point_kind();  ///< its measurement kind
  bool planned = false;   ///< not recorded yet (planned_spec.hpp): every marker counts as recorded, at the origin
  RecordedMotion motion;  ///< the selected frames of its file
  optim::Observation observation;                ///< its samples, and how markers follow particles
  OwnExperiment own;                             ///< what simulates it
  InitialState start = {};                       ///< how the simulation begins
  RecordingFreedom free = {};                    ///< what the fit changes of the recording itself
  KnownValues known = {};                        ///< what is known of its values
  std::vector<double> attachment_distance = {};  ///< of the markers (attach_markers)
  ScreenedReading screening = {};                ///< what the file says of it to screening

  /// Its markers, and where their particles are.
  PlacedMarkers placed() const;
};

/// Reads an item of `fit.recordings` (the node). `base`: the experiment without overrides; `document`: the document
/// that `set:` changes. Markers without a sigma get NaN; take_recorded_noise replaces it.
Recording read_recording(Node node, const Experiment& base, const ExperimentDocument& document,
                         std::optional<double> default_sigma);

}  // namespace pithball::app
