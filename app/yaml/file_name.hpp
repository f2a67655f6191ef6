#pragma once
#include <filesystem>

#include "app/yaml/node.hpp"

namespace pithball::app {

/// The file that a key names, as an absolute path: either a name relative to the experiment file's folder, or
/// {dataset: charged_drops, path: tracks/05716.csv}, looked up where `pithball data` keeps that data set. Complains if
/// there is no such file.
std::filesystem::path read_file_name(Node& node, std::string_view key, std::string_view meaning, bool required = true);

}  // namespace pithball::app
