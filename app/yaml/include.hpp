#pragma once
#include <string>

#include "app/yaml/tree.hpp"

namespace pithball::app {

/// Merges one document over another: mappings merge key by key at all levels; anything else in `over` (a list, a
/// number, a text) replaces the value in `base`, and a key without a value removes it. Every part keeps its place in
/// its source.
Tree merged(Tree base, const Tree& over);

/// Reads a YAML file and the file named by its key `include:`, which may include another: the including document is
/// merged over the included one (`merged`). A file name after `include:` is relative to the file that contains it.
/// Throws InvalidArgument at the `include:` in question if the value is not a file name, the file does not exist or
/// contains no mapping, or files include each other in a cycle; also what `parse_yaml_file` throws.
Tree read_with_includes(const std::string& file);

}  // namespace pithball::app
