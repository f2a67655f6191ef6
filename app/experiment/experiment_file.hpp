#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/experiment/experiment_document.hpp"
#include "app/yaml/reading.hpp"

namespace pithball::app {

/// Every key of an experiment file: all that the reading code queries, in all sections.
KeyPage experiment_keys();

/// The same as a JSON Schema, built once.
const nlohmann::ordered_json& experiment_key_schema();

/// The same as the page docs/keys.md.
std::string keys_page();

/// Reads an experiment file with all that it includes, and applies the overrides. Throws InvalidArgument if a file
/// cannot be read, is not YAML, or has a name that is not UTF-8.
ExperimentDocument load_document(const std::string& file, const std::vector<Override>& overrides = {});
/// The same for text that is not in a file; file names in it are relative to `source.folder`. It may not include
/// another file.
ExperimentDocument parse_document(const std::string& text, const Source& source,
                                  const std::vector<Override>& overrides = {});

}  // namespace pithball::app
