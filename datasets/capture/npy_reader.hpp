#pragma once
#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// Reads a NumPy array of floats [frames][markers][3] in meters; markers are named "0", "1", …, samples with a NaN are
/// missing. A rate must come from elsewhere. Throws InvalidArgument on another shape and as NpyView does.
MarkerFile read_npy(const std::string& path);

/// Reads a NumPy archive: the positions are the array `positions` or else the only one of floats [frames][markers][3],
/// the times [s] the array `times`, `time` or `t` [frames]; without one, the number `rate`, or a rate from elsewhere.
/// Throws InvalidArgument on anything else, and on entries that are packed more than a hundredfold, so that a small
/// file cannot ask for all memory.
MarkerFile read_npz(const std::string& path);

}  // namespace pithball::datasets
