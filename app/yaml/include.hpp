#pragma once
#include <functional>
#include <string>

#include "app/yaml/tree.hpp"

namespace pithball::app {

/// Reads a YAML file and the file that its key `include:` names, which may include another: the included document is
/// the base over which the including one is laid (`merged`). A file name after `include:` is relative to the file that
/// it is written in. `prepare` is called with every document before it is merged. Throws InvalidArgument, placed at the
/// `include:` in question, if the value is no file name, there is no such file, the file holds no mapping, or files
/// include one another in a circle; and whatever `parse_yaml_file` throws.
Tree read_with_includes(const std::string& file, const std::function<void(Tree&)>& prepare);

}  // namespace pithball::app
