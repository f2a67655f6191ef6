#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/run_folder/run_folder.hpp"
#include "app/spec/experiment.hpp"
#include "datasets/capture/capture.hpp"

namespace pithball::app {

/// How a simulated motion is filmed.
struct Filming {
  std::vector<Index> particles;  ///< each is followed by one marker, in this order
  double rate = 0;               ///< frames per second [1/s]; 1/rate is a whole number of steps
  double noise = 0;              ///< standard deviation of each coordinate, normal and independent [m]
  double missing = 0;            ///< probability that a sample is lost, each by itself; 0 <= missing < 1
  double gap = 0;                ///< every marker is hidden once for this long, from an instant of its own [s]
  std::uint64_t seed = 1;        ///< equal seeds spoil equally
};

/// A film, or why there is none.
struct Film {
  datasets::Capture capture;
  std::string comment;      ///< how it was made, for the head of the file
  std::string explanation;  ///< empty, or why there is no film
};

/// Simulates the experiment and films it, all in memory. Throws as `make_film`.
Film film(const Experiment& experiment, const Filming& filming, const std::string& source);

/// Simulates the experiment, films it, and writes the film as a new CSV file, or in place of an earlier one if that is
/// wanted. While it simulates, the frames are kept in `<file>.record.partial`, from where it can be resumed. What noise
/// and gaps do to a sample depends on (seed, frame, marker, component) alone. Throws InvalidArgument, before the run,
/// if a frame would fall between two steps or the film is too short for the gap; `source` names the experiment in the
/// comment, `order.target` is the file.
Film make_film(Experiment experiment, const Filming& filming, const std::string& source, const RunOrder& order);

/// Writes a film as a new CSV file, or in place of an earlier one; nothing half-written is left under its name.
void write_film(const Film& film, const std::filesystem::path& target, bool overwrite);

}  // namespace pithball::app
