#pragma once
#include <string>
#include <vector>

#include "datasets/capture/capture.hpp"

namespace pithball::app {

/// What a recording itself gives to think about, a clause each: what its reader left out or assumed, and markers that
/// seem to swap (optim/observation/track_swaps.hpp).
std::vector<std::string> find_track_doubts(const datasets::Capture& capture);

}  // namespace pithball::app
