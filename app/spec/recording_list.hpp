#pragma once
#include "app/spec/experiment.hpp"

namespace pithball::app {

/// Expands `fit.recordings`: merges every item with `fit.recording_defaults`, and replaces an item that splits its file
/// by one item for each part. The result, which is read and stored in run.yaml, contains neither key.
ExperimentDocument with_whole_recordings(const ExperimentDocument& document);

/// Documents `fit.recording_defaults`.
void describe_recording_defaults(Node& fit);

}  // namespace pithball::app
