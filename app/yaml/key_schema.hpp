#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/yaml/key_page.hpp"

namespace pithball::app {

/// What the column "value" of the key page says: "number > 0 [m]".
struct ValueText {
  std::string words;      ///< "number"
  std::string bound;      ///< "> 0", ">= 3" or empty
  std::string unit;       ///< "m", or empty
  std::string same_as{};  ///< "system.mesh" of "as `system.mesh`": this key is written as that one
};
/// The parts of such a text; parts that it lacks are empty.
ValueText parse_value_text(const std::string& text);

/// The words of "one of a, b" and "one of a, b; or {name: settings}"; empty for all other texts.
std::vector<std::string> listed_choices(const std::string& words);

/// JSON Schemas of values that have forms in common (a quantity, a vector, …), for `$defs`.
nlohmann::ordered_json shared_value_schemas();

/// JSON Schema of a value. Throws std::logic_error for a text that it does not know: mappings, lists with items of
/// their own and references are not values.
nlohmann::ordered_json value_schema(const ValueText& text);

/// The rows of the page: [{"key", "value", "unit", "required", "default", "meaning"}, …], in its order; null where
/// there is no unit or no default. A key with several forms has several rows.
nlohmann::ordered_json keys_json(const KeyPage& page);

/// JSON Schema (draft 2020-12) of an experiment file: names, forms and meanings of the keys. It allows every file that
/// the reading code accepts, except for earlier names of keys. Nothing is required in it, since a file may include
/// another that has the rest. Throws std::logic_error for a row whose value it does not know.
nlohmann::ordered_json experiment_schema(const KeyPage& page);

}  // namespace pithball::app
