#pragma once
#include <filesystem>

#include "app/yaml/node.hpp"
#include "sim/core/number_table.hpp"

namespace pithball::app {

/// The file named by a key, as an absolute path: either a name relative to the experiment file's folder, or {dataset:
/// charged_drops, path: tracks/05716.csv}, located as `pithball data` does. Throws InvalidArgument if the file does not
/// exist.
std::filesystem::path read_file_name(Node& node, std::string_view key, std::string_view meaning, bool required = true);

/// The table of numbers in the file named by a key. With `columns`, the file begins with column names and may have
/// further columns; `reader`: what needs the columns, for messages ("a path"). Without `columns`, all columns are read,
/// and a first line of names is skipped.
sim::NumberTable read_number_table(Node& node, std::string_view key, std::string_view meaning,
                                   const std::vector<std::string>& columns, std::string_view reader);

}  // namespace pithball::app
