#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/yaml/reading.hpp"

namespace pithball::app {

/// Every key of an experiment file: what the reading code asks for, in all sections.
KeyPage experiment_keys();

/// The same as a JSON Schema, built once.
const nlohmann::ordered_json& experiment_key_schema();

/// The same as the page docs/keys.md.
std::string keys_page();

}  // namespace pithball::app
