#pragma once
#include "app/spec/recorded_motion.hpp"
#include "app/yaml/node.hpp"

namespace pithball::app {

/// The recorded motion that an item of `fit.recordings` (the node) names: a file in one of
/// `datasets::capture_formats()`, or a folder of OBJ frames; and of it the frames that the item chooses. Its
/// measurement kind says what the numbers are; kinds of one component are in tables only.
RecordedMotion read_capture_source(Node& recording);

/// The same with every frame.
datasets::Capture read_whole_file(Node& recording);

}  // namespace pithball::app
