#pragma once
#include <string>
#include <vector>

#include "app/spec/recording.hpp"

namespace pithball::app {

/// Gives the `planned_sigma` of their kind to the markers of a planned recording that have no sigma: a guess, to which
/// all predicted errors are in proportion.
void suppose_sigma(optim::Observation& observation);

/// Gives every marker without a written sigma (NaN) its recording's own scatter (optim/observation/track_noise.hpp).
/// `items`: the recordings' nodes, which complain of a component that never changes while others scatter, and of
/// recordings that have no length at all. Returns what is to be said of the recordings that took part.
std::vector<std::string> take_recorded_noise(const std::vector<Node>& items, std::vector<Recording>& recordings);

/// Which recordings have coordinates that were written as a number in place of a column, a sentence each: they place
/// markers (attachment, registration, start) and have no residual.
std::vector<std::string> find_constant_coordinates(const std::vector<Recording>& recordings);

/// What looks wrong with a recording's units, placement or clock before anything is run, each with a remedy: a first
/// frame at the start of the run that is further from the body than the body and its motion are large, markers that
/// span another length than the model's, a first frame later than the recording lasts, frames a
/// thousand time steps apart.
std::vector<std::string> find_placement_doubts(const Recording& recording);

}  // namespace pithball::app
