#pragma once
#include <vector>

#include "app/yaml/node.hpp"

namespace pithball::app {

/// Reads `weight:` of a recording: the weight of its frames, at these simulated times [s], as an expression in the time
/// t or a table {times, values} with linear interpolation. Empty without the key. Throws InvalidArgument if a weight is
/// not positive.
std::vector<double> read_weight(Node& recording_node, const std::vector<double>& times);

}  // namespace pithball::app
