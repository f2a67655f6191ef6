#pragma once
#include "app/yaml/node.hpp"
#include "datasets/capture/capture.hpp"
#include "sim/core/types.hpp"

namespace pithball::app {

/// Whether an item of `fit.recordings` is a planned recording: `planned: {rate: 25, duration: 2 s}` instead of a file.
bool is_planned(const Node& recording);

/// The number of frames at 0, 1/rate, … up to the duration [s]; as a double, for any input.
double count_frames(double rate, double duration);

/// The frames of a planned recording at 0, 1/rate, … up to `duration`, with a marker for each item of its `markers:`,
/// or for each of the body's particles without that key. All positions are NaN.
datasets::Capture read_planned(Node& recording, sim::Index particles);

}  // namespace pithball::app
