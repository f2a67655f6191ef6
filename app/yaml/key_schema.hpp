#pragma once
#include <nlohmann/json.hpp>

#include "app/yaml/key_page.hpp"

namespace pithball::app {

/// The rows of the page: [{"key", "value", "unit", "required", "default", "meaning"}, …], in its order; null where
/// there is no unit or no default. A key with several forms has several rows.
nlohmann::ordered_json keys_json(const KeyPage& page);

/// JSON Schema (draft 2020-12) of an experiment file: names, forms and meanings of the keys. It allows every file that
/// the reading code accepts, except for earlier names of keys. Nothing is required in it, since a file may include
/// another that has the rest. Throws std::logic_error for a row whose value it does not know.
nlohmann::ordered_json experiment_schema(const KeyPage& page);

}  // namespace pithball::app
