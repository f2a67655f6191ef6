#pragma once

namespace pithball::app {

class Node;
struct Recording;

/// Reads `weight:` of a recording, whose times are known: how much its frames count, as an expression in the simulated
/// time t [s] or a table {times, values} with straight lines between.
void read_weight(Node& recording_node, Recording& recording);

}  // namespace pithball::app
