#pragma once
#include "app/yaml/node.hpp"
#include "datasets/capture/capture_spec.hpp"

namespace pithball::app {

/// Reads how the spots of a film are joined into tracks: `frame`, `lasting`, `travel`, `gap`.
datasets::LinkRule read_link_rule(Node& node);

/// The particles of `system.vertices: {file: detections.csv, …}` [m]: one for each spot that is seen in a frame and
/// lasts, in the order of that frame, at its place there; the coordinate that a picture does not show is 0. A note says
/// which spots are left out. Throws InvalidArgument if no spot lasts.
Points read_detected_particles(Node& system);

}  // namespace pithball::app
