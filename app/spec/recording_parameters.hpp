#pragma once
#include <vector>

#include "app/spec/recording.hpp"
#include "optim/parameter/parameter.hpp"

namespace pithball::app {

/// Adds what the fit changes of the recordings themselves to the parameters that the user lists: clock, placement and
/// instrument, then the initial states. What need not be requested is a nuisance parameter, unless it is listed
/// already.
void add_recording_parameters(const std::vector<Recording>& recordings, std::vector<optim::Parameter>& parameters);

}  // namespace pithball::app
