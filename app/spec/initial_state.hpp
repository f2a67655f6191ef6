#pragma once
#include "app/spec/recording.hpp"

namespace pithball::app {

/// Sets the initial state of the recording's scenario according to its `initial_state`, except for FromRecording
/// (started_recordings.hpp). With Free, particles without a marker of their own keep their state.
void set_initial_state(Recording& recording);

/// Value and slope at time 0 of the least-squares polynomial of this degree through the samples; of a lower degree if
/// there are too few. `samples` must not be empty.
std::pair<double, double> value_and_slope(const std::vector<double>& times, const std::vector<double>& samples,
                                          Index degree);

/// Whether a parameter listed by the user changes this value of recording number `recording`.
bool is_declared(const std::vector<optim::Parameter>& parameters, const char* value, Index recording);

/// The components that the recording contains, "xy" for a planar track; the others cannot be free.
std::string seen_components(const optim::Observation& seen);

}  // namespace pithball::app
