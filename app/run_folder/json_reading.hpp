#pragma once
#include <algorithm>
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
  } catch (const nlohmann::json::parse_error& error) {
    // "[json.exception.parse_error.101] parse error at line 7, column 15: …"
    const std::string what = error.what();
    const std::size_t at = what.find("at line ");
    throw InvalidArgument({place.string(), "", "must be as the program wrote it",
                           at == std::string::npos ? "a file that is no JSON" : "an error " + what.substr(at),
                           "run it again"});
  } catch (const nlohmann::json::exception& error) {
    const std::string what = error.what();  // "[json.exception.out_of_range.403] key 'tasks' not found"
    throw InvalidArgument({place.string(), "", "must be as the program wrote it",
                           what.substr(std::min(what.size(), what.find("] ") + 2)), "run it again"});
  } catch (const InvalidArgument& error) {
    if (!error.parts().where.empty()) throw;
    throw error.at(place.string());
  }
}

/// Reads the text of a JSON file with `read`. Throws InvalidArgument if it is damaged.
template <class Read>
auto read_json_text(const std::filesystem::path& file, const std::string& text, Read read) {
  return reading_json(file, [&] { return read(nlohmann::ordered_json::parse(text)); });
}

/// Reads a JSON file with `read`. Throws InvalidArgument if the file is missing or damaged.
template <class Read>
auto read_json_file(const std::filesystem::path& file, Read read) {
  return read_json_text(file, datasets::read_text_file(file.string(), "run"), read);
}

/// The list of texts in a key of a JSON file; the same errors.
inline std::vector<std::string> read_texts(const std::filesystem::path& file, const char* key) {
  return read_json_file(file, [&](const auto& root) { return root.at(key).template get<std::vector<std::string>>(); });
}

}  // namespace pithball::app
