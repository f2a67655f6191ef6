#pragma once
#include <filesystem>

#include "app/yaml/node.hpp"

namespace pithball::app {

/// The file named by a key, as an absolute path: either a name relative to the experiment file's folder, or {dataset:
/// charged_drops, path: tracks/05716.csv}, located as `pithball data` does. Throws InvalidArgument if the file does not
/// exist.
std::filesystem::path read_file_name(Node& node, std::string_view key, std::string_view meaning, bool required = true);

}  // namespace pithball::app
