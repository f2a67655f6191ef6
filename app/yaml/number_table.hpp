#pragma once
#include "app/yaml/node.hpp"
#include "sim/core/number_table.hpp"

namespace pithball::app {

/// The file of numbers that a key names. With `columns` the file begins with their names, and has others as well if it
/// likes; `reader` is who needs them ("a path"). Without, all columns are read, and a first line of names is passed
/// over.
sim::NumberTable read_number_table(Node& node, std::string_view key, std::string_view meaning,
                                   const std::vector<std::string>& columns, std::string_view reader);

}  // namespace pithball::app
