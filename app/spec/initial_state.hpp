#pragma once
#include "app/spec/recording.hpp"

namespace pithball::app {

/// Gives the recording's scenario the start that its `initial_state` asks for, but for that of FromRecording
/// (started_recordings.hpp). With Free, particles without a marker of their own keep their given state.
void set_initial_state(Recording& recording);

/// Value and slope at time 0 of the polynomial of this degree through samples, by least squares; of a lower one where
/// there are too few samples. `samples` are not empty.
std::pair<double, double> value_and_slope(const std::vector<double>& times, const std::vector<double>& samples,
                                          Index degree);

/// Whether a parameter that was asked for moves this value of recording number `recording`.
bool is_declared(const std::vector<optim::Parameter>& parameters, const char* value, Index recording);

/// The components that the recording shows at all, "xy" for a flat track: the others cannot be free.
std::string seen_components(const optim::Observation& seen);

}  // namespace pithball::app
