#pragma once
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

// What the files of a run folder that hold JSON have in common. Each file is one struct, with a function that writes it
// and one that reads it; nothing else in the program reads JSON that the program wrote.

namespace pithball::app {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();  ///< null in a file

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

/// Numbers, those that are not finite as null.
nlohmann::ordered_json numbers_or_null(const std::vector<double>& values);

}  // namespace pithball::app
