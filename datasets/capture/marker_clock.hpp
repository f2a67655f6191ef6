#pragma once
#include <utility>

#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// Frames per second as a header states them: key and value [1/s], 0 if it does not.
using StatedRates = std::vector<std::pair<std::string, double>>;

/// Makes a column of times those of the file, if every row has one. Throws InvalidArgument if times and frame numbers
/// (without them, rows) agree with none of the stated rates: one of them is wrong.
void take_times(std::vector<double> time, const StatedRates& rates, MarkerFile& file);

/// Adds a note if a header announces another number of frames than the file has; rows are counted.
void note_on_length(const std::string& key, Index announced, MarkerFile& file);

}  // namespace pithball::datasets
