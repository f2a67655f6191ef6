#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/run_folder/run_folder.hpp"
#include "app/spec/experiment.hpp"
#include "datasets/capture/capture.hpp"

namespace pithball::app {

/// How a simulated motion is recorded: markers, rate, noise and gaps.
struct RecordingSettings {
  std::vector<Index> particles;  ///< each is followed by one marker, in this order
  double rate = 0;               ///< frames per second [1/s]; 1/rate is a whole number of steps
  double noise = 0;              ///< standard deviation of each coordinate, normal and independent [m]
  double missing = 0;            ///< probability that a sample is lost, each by itself; 0 <= missing < 1
  double gap = 0;                ///< every marker is hidden once for this long, from an instant of its own [s]
  std::uint64_t seed = 1;        ///< equal seeds spoil equally
};

/// A recording that was made, or why there is none.
struct MadeRecording {
  datasets::Capture capture;
  std::string comment;      ///< how it was made, for the head of the file
  std::string explanation;  ///< empty, or why there is no recording
};

/// Simulates the experiment and records it, all in memory. Throws as `run_recording`.
MadeRecording record_motion(const Experiment& experiment, const RecordingSettings& settings, const std::string& source);

/// Simulates the experiment, records it, and writes the recording as a new CSV file, or in place of an earlier one if
/// that is wanted. While it simulates, the frames are kept in `<file>.record.partial`, from where it can be resumed.
/// What noise and gaps do to a sample depends on (seed, frame, marker, component) alone. Throws InvalidArgument, before
/// the run, if a frame would fall between two steps or the recording is too short for the gap; `source` names the
/// experiment in the comment, `order.target` is the file.
MadeRecording run_recording(Experiment experiment, const RecordingSettings& settings, const std::string& source,
                            const RunOrder& order);

/// Writes a recording as a new CSV file, or in place of an earlier one; nothing half-written is left under its name.
void write_recording(const MadeRecording& made, const std::filesystem::path& target, bool overwrite);

}  // namespace pithball::app
