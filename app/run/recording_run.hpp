#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/experiment/experiment.hpp"
#include "app/experiment/fit_spec.hpp"
#include "app/run_folder/run_folder.hpp"
#include "datasets/capture/capture.hpp"

namespace pithball::app {

/// How a simulated motion is recorded: markers, rate, noise and gaps.
struct RecordingSettings {
  std::vector<Index> particles;  ///< one marker for each, in this order
  double rate = 0;               ///< frames per second [1/s]; 1/rate is a whole number of steps
  double noise = 0;              ///< standard deviation of each coordinate, normal and independent [m]
  double missing = 0;            ///< probability that a sample is missing, independently; 0 <= missing < 1
  double gap = 0;                ///< every marker has one gap of this duration at a random time [s]
  std::uint64_t seed = 1;        ///< same seed, same noise and gaps
};

/// A simulated recording, or the reason why there is none.
struct MadeRecording {
  datasets::Capture capture;  ///< not to be used if there is an explanation
  std::string comment;        ///< how it was made, for the first lines of the file
  std::string explanation;    ///< why there is no recording; else empty
};

/// Simulates the experiment and records it, all in memory. Throws as `run_recording`.
MadeRecording record_motion(const Experiment& experiment, const RecordingSettings& settings, const std::string& source);

/// Simulates the experiment, records it, and writes the recording as a CSV file, new or replacing an earlier one as
/// ordered. During the simulation the frames are stored in `<file>.record.partial`, from which it can be resumed. Noise
/// and gaps of a sample depend only on (seed, frame, marker, component). Throws InvalidArgument before the run if a
/// frame would fall between two steps or the recording is too short for the gap. `source`: name of the experiment for
/// the comment; `order.target`: the file.
MadeRecording run_recording(Experiment experiment, const RecordingSettings& settings, const std::string& source,
                            const RunOrder& order);

/// Writes a recording as a CSV file, atomically; replaces an earlier one as ordered.
void write_recording(const MadeRecording& made, const std::filesystem::path& target, bool overwrite);

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
