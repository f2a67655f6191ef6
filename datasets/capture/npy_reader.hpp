#pragma once
#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// Reads a NumPy array of floats [frames][markers][3] in meters; markers are named "0", "1", …, samples with a NaN are
/// missing. The spec must give the rate. Throws InvalidArgument on another shape and as NpyView does.
MarkerFile read_npy(const std::string& path);

/// Reads a NumPy archive: the positions are the array `positions` or else the only one of floats [frames][markers][3],
/// the times [s] the array `times`, `time` or `t` [frames]; otherwise the number `rate`, or the rate of the spec.
/// Throws InvalidArgument on anything else, and on entries compressed more than a hundredfold, so that a small file
/// cannot exhaust memory.
MarkerFile read_npz(const std::string& path);

}  // namespace pithball::datasets
