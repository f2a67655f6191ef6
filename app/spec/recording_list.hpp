#pragma once
#include "app/spec/experiment.hpp"

namespace pithball::app {

/// The document in which every item of `fit.recordings` is one whole recording: laid over `fit.recording_defaults`, and
/// one item for each part of a file that it splits. What is read from then on, and stored in run.yaml, knows neither
/// key.
ExperimentDocument with_whole_recordings(const ExperimentDocument& document);

/// Documents `fit.recording_defaults`.
void describe_recording_defaults(Node& fit);

}  // namespace pithball::app
