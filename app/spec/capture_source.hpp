#pragma once
#include "app/yaml/node.hpp"
#include "datasets/capture/capture.hpp"
#include "optim/measurement/measurement_kinds.hpp"

namespace pithball::app {

/// The recorded motion that an item of `fit.recordings` (the node) names: a file in one of
/// `datasets::capture_formats()`, or a folder of OBJ frames. Only tables hold other kinds than points.
datasets::Capture read_capture_source(Node& recording, const optim::MeasurementKind& kind);

}  // namespace pithball::app
