#pragma once
#include <optional>

#include "optim/observation/observation.hpp"
#include "optim/screening/finding.hpp"
#include "optim/screening/track_samples.hpp"

namespace pithball::optim {

/// Frames in which readings of a kind with a period (angles) jump by a full turn: the increment differs from the median
/// of those around it by a multiple of the period within a tenth of it, and all readings lie within one period, as
/// those of a wrapped angle do. `samples` is then unwrapped. A reading that turns by more than a half from frame to
/// frame is ambiguous, and not found unless it is wrapped.
std::optional<Finding> find_full_turns(const Observation& observation, TrackSamples& samples);

}  // namespace pithball::optim
