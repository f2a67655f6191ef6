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

/// One item of `fit.recordings`: the data and their model.
struct Recording {
  std::string name,                                           ///< unique
      label;                                                  ///< that of `recordings: label`; empty: none
  const optim::MeasurementKind* kind = &optim::point_kind();  ///< its measurement kind
  bool planned = false;   ///< not recorded yet (planned_spec.hpp): every marker counts as recorded, at the origin
  RecordedMotion motion;  ///< the selected frames of its file
  optim::Observation observation;                    ///< its samples, and how markers follow particles
  diff::Scenario scenario;                           ///< what simulates it
  Body body;                                         ///< the body of that scenario, with its `set:` applied
  InitialState start = {};                           ///< how the simulation begins
  RecordingFreedom free = {};                        ///< what the fit changes of the recording itself
  std::map<std::string, Vector> offsets = {};        ///< value offsets by name, one entry for each owner
  std::vector<optim::ValueError> value_errors = {};  ///< of held values: an initial state, a registered placement
  std::vector<double> attachment_distance = {};      ///< of the markers (attach_markers)
  std::vector<std::string> notes =
      {};  ///< on its own experiment (`set:`), where they are not on that of all recordings
  optim::RecordingReading reading = {};  ///< how the file reads it, for findings about that
  FindingAnswers answers = {};           ///< what the file says to them

  /// Its markers, and where their particles are.
  PlacedMarkers placed() const;
};

/// Reads an item of `fit.recordings` (the node). `base`: the experiment without overrides; `document`: the document
/// that `set:` changes. Markers without a sigma get NaN; take_recorded_noise replaces it.
Recording read_recording(Node node, const Experiment& base, const ExperimentDocument& document,
                         std::optional<double> default_sigma);

}  // namespace pithball::app
