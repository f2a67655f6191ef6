#pragma once
#include <string>
#include <vector>

#include "app/experiment/recording/recording.hpp"

namespace pithball::app {

/// Largest number of initial-state values, six per particle, that are fitted (`initial_state: from_recording`).
inline constexpr Index most_start_values = 100;

/// Sets the initial states of recordings with `initial_state: from_recording` from their first frames
/// (optim/observation/local_start.hpp), once the markers' sigma is known; also computes the errors of registered
/// placements. If every free particle has a marker and there are few particles, the initial state becomes nuisance
/// parameters with this estimate as prior; otherwise it is held and its error propagated. Particles without a marker of
/// their own follow the markers. With `initial_shape: rigid` they do so rigidly: the undeformed body, rotated and moved
/// onto them by least squares (only moved if they are collinear), with the velocity of a rigid body; with `smooth`, as
/// start_estimate.hpp describes. `items`: the recordings' nodes, for errors about frames that are too far apart.
/// Returns notes for the user.
std::vector<std::string> settle_starts(const std::vector<Node>& items, std::vector<Recording>& recordings);

}  // namespace pithball::app
