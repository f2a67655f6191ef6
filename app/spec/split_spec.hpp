#pragma once
#include <vector>

#include "app/yaml/node.hpp"

namespace pithball::app {

/// Reads `split:` of an item of `fit.recordings` (the node), which divides one file into several recordings: by the
/// values of a column, at gaps in time, or where a marker leaves its rest. Returns an item for each part, without
/// `split` and with a name, `rows` or `part`, and the role of its own. Complains about a file that cannot be divided so
/// and about parts that are not there.
std::vector<Tree> read_split(Node& recording);

}  // namespace pithball::app
