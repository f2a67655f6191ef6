#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/run_folder/not_known.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

// What the files of a run folder that hold JSON have in common. Each file is one struct, with a function that writes it
// and one that reads it; nothing else in the program reads JSON that the program wrote.

namespace pithball::app {

/// Calls `read`; what does not fit into the JSON of a run's files is told as their damage, by InvalidArgument.
template <class Read>
auto reading_json(const std::filesystem::path& place, Read read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    throw InvalidArgument({place.string(), "", "must be as the program wrote it", error.what(), "run it again"});
  }
}

/// What `read` makes of a file's JSON. Throws InvalidArgument where the file is missing or damaged.
template <class Read>
auto read_json_file(const std::filesystem::path& file, Read read) {
  return reading_json(
      file, [&] { return read(nlohmann::ordered_json::parse(datasets::read_text_file(file.string(), "run"))); });
}

/// A number; null: `not_known`.
double number_of(const nlohmann::ordered_json& json);
std::vector<double> numbers_of(const nlohmann::ordered_json& json);
/// A text; null: empty.
std::string text_of(const nlohmann::ordered_json& json);
/// The texts below a key; none where the file, of an older program, does not have it.
std::vector<std::string> texts_below(const nlohmann::ordered_json& json, const char* key);

/// A value; null: none.
template <class Value>
std::optional<Value> optional_of(const nlohmann::ordered_json& stored) {
  return stored.is_null() ? std::nullopt : std::optional(stored.get<Value>());
}

}  // namespace pithball::app
