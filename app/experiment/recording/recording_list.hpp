#pragma once
#include <vector>

#include "app/experiment/experiment.hpp"
#include "app/yaml/node.hpp"
#include "datasets/capture/capture.hpp"
#include "sim/core/types.hpp"

namespace pithball::app {

/// Reads `split:` of an item of `fit.recordings` (the node), which divides a file into several recordings: by the
/// values of a column, at gaps in time, or where a marker leaves its rest. Returns an item for each part, without
/// `split` and with its own name, `rows` or `part`, and role. Throws InvalidArgument if the file cannot be divided this
/// way or a part does not exist.
std::vector<Tree> read_split(Node& recording);

/// Expands `fit.recordings`: merges every item with `fit.recording_defaults`, and replaces an item that splits its file
/// by one item for each part. The result, which is read and stored in run.yaml, contains neither key.
ExperimentDocument with_whole_recordings(const ExperimentDocument& document);

/// Documents `fit.recording_defaults`.
void describe_recording_defaults(Node& fit);

/// Whether an item of `fit.recordings` is a planned recording: `planned: {rate: 25, duration: 2 s}` instead of a file.
bool is_planned(const Node& recording);

/// The number of frames at 0, 1/rate, … up to the duration [s]; as a double, for any input.
double count_frames(double rate, double duration);

/// The frames of a planned recording at 0, 1/rate, … up to `duration`, with a marker for each item of its `markers:`,
/// or for each of the body's particles without that key. All positions are NaN.
datasets::Capture read_planned(Node& recording, sim::Index particles);

}  // namespace pithball::app
