#pragma once
#include <nlohmann/json.hpp>

#include "optim/observation/marker_tracks.hpp"

namespace pithball::app {

/// `markers` of a motion document: recorded and simulated places of all markers of a recording of points.
nlohmann::ordered_json drawn_markers(const optim::MarkerTracks& tracks);

}  // namespace pithball::app
