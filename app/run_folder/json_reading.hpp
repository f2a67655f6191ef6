#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

// Common functions for the JSON files of a run folder. Results are read by their lists of fields (app/result).

namespace pithball::app {

/// Calls `read`; throws InvalidArgument that names the damaged file if the JSON does not have the expected form.
template <class Read>
auto reading_json(const std::filesystem::path& place, Read read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    throw InvalidArgument({place.string(), "", "must be as the program wrote it", error.what(), "run it again"});
  } catch (const InvalidArgument& error) {
    if (!error.parts().where.empty()) throw;
    throw error.at(place.string());
  }
}

/// Reads a JSON file with `read`. Throws InvalidArgument if the file is missing or damaged.
template <class Read>
auto read_json_file(const std::filesystem::path& file, Read read) {
  return reading_json(
      file, [&] { return read(nlohmann::ordered_json::parse(datasets::read_text_file(file.string(), "run"))); });
}

/// The list of texts in a key of a JSON file; the same errors.
inline std::vector<std::string> read_texts(const std::filesystem::path& file, const char* key) {
  return read_json_file(file, [&](const auto& root) { return root.at(key).template get<std::vector<std::string>>(); });
}

}  // namespace pithball::app
