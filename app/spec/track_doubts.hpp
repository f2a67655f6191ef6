#pragma once
#include <string>
#include <vector>

#include "datasets/capture/capture.hpp"
#include "optim/measurement/measurement_kind.hpp"

namespace pithball::app {

/// Doubts about a recording, one clause each: what its reader omitted or assumed, and markers that seem to be swapped
/// (optim/observation/track_swaps.hpp), in the unit of the readings.
std::vector<std::string> find_track_doubts(const datasets::Capture& capture, const optim::MeasurementKind& kind);

}  // namespace pithball::app
