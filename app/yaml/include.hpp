#pragma once
#include <string>

#include "app/yaml/tree.hpp"

namespace pithball::app {

/// Reads a YAML file and the file named by its key `include:`, which may include another: the including document is
/// merged over the included one (`merged`). A file name after `include:` is relative to the file that contains it.
/// Throws InvalidArgument at the `include:` in question if the value is not a file name, the file does not exist or
/// contains no mapping, or files include each other in a cycle; also what `parse_yaml_file` throws.
Tree read_with_includes(const std::string& file);

}  // namespace pithball::app
