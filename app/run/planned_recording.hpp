#pragma once
#include <string>

#include "app/run/recording_run.hpp"
#include "app/spec/fit_spec.hpp"

namespace pithball::app {

/// How a planned recording is simulated: noise with the assumed sigma of its instrument, and missing samples.
struct PlannedRecordingSettings {
  std::string recording;   ///< its name
  double noise = 1;        ///< in units of that sigma
  double missing = 0;      ///< as in `RecordingSettings`
  std::uint64_t seed = 1;  ///< same seed, same noise and gaps
};

/// Simulates a planned recording of the experiment as its instrument would read it, at the initial values of all
/// parameters. Throws InvalidArgument if there is no planned recording with this name.
MadeRecording record_planned(const FitSpec& spec, const PlannedRecordingSettings& settings, const std::string& source);

}  // namespace pithball::app
