#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/spec/experiment.hpp"
#include "app/spec/marker_attachment.hpp"
#include "app/spec/measurement_spec.hpp"
#include "app/spec/recording_frame_spec.hpp"
#include "datasets/capture/capture.hpp"
#include "optim/observation/observation.hpp"
#include "optim/parameter/parameter.hpp"
#include "optim/uncertainty/carried_error.hpp"

namespace pithball::app {

/// Where a recording's simulation starts.
enum class InitialStateKind {
  FromSystem,     ///< as the system says
  FromRecording,  ///< as the first frames tell: parameters with what they tell as prior, or held with its error
  Free,  ///< positions and velocities are parameters of this recording, started from the recording where it shows them
  Equilibrium,  ///< the model's own position of rest near the given one, at rest
};

/// What the first frames tell of one component of a particle's start, as the width of a prior about the scenario's.
struct StartBelief {
  Index particle = 0;
  int component = 0;
  double position_deviation = 0, velocity_deviation = 0;  ///< [m], [m/s]
};

/// One item of `fit.recordings`: what was seen, and the model of it.
struct Recording {
  std::string name, label;
  const optim::MeasurementKind* kind = &optim::point_kind();  ///< what its numbers are
  datasets::Capture capture, lead_in = {};                    ///< lead_in: frames before those in use (RecordedMotion)
  optim::Observation observation;
  diff::Scenario scenario;
  Body body;
  InitialStateKind initial_state = InitialStateKind::FromSystem;
  bool planned = false;  ///< it is not made yet (planned_spec.hpp): every marker counts as seen, at the origin
  std::map<std::string, Vector> offsets;  ///< known parts of values, by name, one entry for each owner
  Points rest = {};             ///< where the markers rest, 3×M [m], in the recording's frame; empty: not asked for
  bool refers_to_rest = false;  ///< displacements from rest are compared (rest_reference.hpp)
  bool begins_within = false;   ///< its first frame was found within a file (RecordedMotion)
  FreeRecordingFrame free_recording_frame = {};
  std::vector<std::string> free_own_values = {};     ///< of its instrument, which the fit moves
  std::vector<StartBelief> start_beliefs = {};       ///< FromRecording: what of the start is fitted; empty: it is held
  std::vector<optim::ValueError> value_errors = {};  ///< of what is held: a start, a registered placement
  std::vector<std::optional<WantedAttachment>> wanted_attachments = {};  ///< by marker; empty: its particles are named
  std::vector<double> attachment_distance = {};  ///< by marker, to where it was seen [m]; NaN: its particles are named
};

/// The experiment of one recording: without `fit:`, and with what the recording's `set:` says (null: nothing).
ExperimentDocument own_document(const ExperimentDocument& document, const Tree* set);

/// Reads an item of `fit.recordings` (the node). `base` is the experiment without overrides, `document` what `set:`
/// changes. Markers for which no sigma is written, nor one for all, have NaN: take_recorded_noise gives them one.
Recording read_recording(Node node, const Experiment& base, const ExperimentDocument& document,
                         std::optional<double> default_sigma);

/// Adds what the initial state leaves free to the parameters of recording number `index`: nuisance parameters, besides
/// those that are declared already.
void add_free_initial_state(const Recording& recording, Index index, std::vector<optim::Parameter>& parameters);

}  // namespace pithball::app
