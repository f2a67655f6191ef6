#pragma once

namespace pithball::app {

class Node;
struct Recording;

/// Reads `weight:` of a recording with known times: the weight of its frames as an expression in the simulated time t
/// [s] or a table {times, values} with linear interpolation.
void read_weight(Node& recording_node, Recording& recording);

}  // namespace pithball::app
