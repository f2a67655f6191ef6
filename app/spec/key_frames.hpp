#pragma once
#include "app/spec/experiment.hpp"

namespace pithball::app {

/// Reads the list `key_frames:` below the root, values of the model that change with time (`sim::KeyFrames`), into the
/// experiment's model.
void read_key_frames(Node& root, Experiment& experiment);

}  // namespace pithball::app
