#pragma once
#include <string>
#include <vector>

#include "app/experiment/recording/recording.hpp"

namespace pithball::app {

/// Gives every marker without a written sigma (NaN) the recording's own noise (optim/observation/track_noise.hpp).
/// `items`: the recordings' nodes, for errors about a component that never changes while others do, and about
/// recordings without any length scale. Returns notes on the recordings that it changed.
std::vector<std::string> take_recorded_noise(const std::vector<Node>& items, std::vector<Recording>& recordings);

/// One sentence for each recording with coordinates that are constants instead of columns: they are used for
/// attachment, registration and the initial state, but have no residual.
std::vector<std::string> find_constant_coordinates(const std::vector<Recording>& recordings);

/// Notes, with remedies, on suspicious units, placement or clock, found before any run: a first frame at the start of
/// the run that is farther from the body than the size of the body and its motion, markers whose extent differs from
/// the model's, a first frame later than the duration of the recording, frames a thousand time steps apart.
std::vector<std::string> find_placement_doubts(const Recording& recording);

}  // namespace pithball::app
