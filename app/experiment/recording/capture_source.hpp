#pragma once
#include <optional>

#include "app/experiment/recording/recorded_motion.hpp"
#include "app/yaml/node.hpp"
#include "datasets/capture/table_layout.hpp"

namespace pithball::app {

/// The recorded motion of an item of `fit.recordings` (the node): a file in one of `datasets::capture_formats()`, or a
/// folder of OBJ frames, reduced to the frames that the item selects. The item's measurement kind defines what the
/// numbers are; kinds with one component are supported in tables only.
RecordedMotion read_capture_source(Node& recording);

/// Documents the keys of all sources: those of a file or folder, then those that select frames.
void describe_capture_source(Node& recording);

/// The same with all frames.
datasets::Capture read_whole_file(Node& recording);

/// How the columns of the item's file are read; empty if it is not a table.
std::optional<datasets::TableLayout> read_table_layout(Node& recording);

}  // namespace pithball::app
