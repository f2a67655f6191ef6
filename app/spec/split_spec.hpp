#pragma once
#include <vector>

#include "app/yaml/node.hpp"

namespace pithball::app {

/// Reads `split:` of an item of `fit.recordings` (the node), which divides a file into several recordings: by the
/// values of a column, at gaps in time, or where a marker leaves its rest. Returns an item for each part, without
/// `split` and with its own name, `rows` or `part`, and role. Throws InvalidArgument if the file cannot be divided this
/// way or a part does not exist.
std::vector<Tree> read_split(Node& recording);

}  // namespace pithball::app
