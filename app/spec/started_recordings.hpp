#pragma once
#include <string>
#include <vector>

#include "app/spec/recording.hpp"
#include "optim/observation/local_start.hpp"

namespace pithball::app {

/// Values of a start, six for each particle, up to which it is fitted with the rest (`initial_state: from_recording`).
inline constexpr Index most_start_values = 100;

/// Gives recordings with `initial_state: from_recording` the start that their first frames tell
/// (optim/observation/local_start.hpp), once the markers' sigma is known; and registered placements their error. Where
/// every free particle is seen and there are few, the start becomes nuisance parameters with that as a prior; otherwise
/// it is held, and its error carried. Particles that no marker of their own shows follow the markers rigidly: the body
/// at rest in shape, turned and moved onto them by least squares (moved only, where they lie on one line), with the
/// velocity of a rigid body. `items`: the recordings' nodes, which complain where frames are too far apart. Returns
/// what is to be said.
std::vector<std::string> settle_starts(const std::vector<Node>& items, std::vector<Recording>& recordings);

/// Complains at the recording's node about frames that are too far apart to tell where its motion began.
void reject_coarse_start(const Node& item, const optim::LocalStarts& starts);

}  // namespace pithball::app
