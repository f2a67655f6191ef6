#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/result/result_description.hpp"

namespace pithball::app {

/// The page docs/results.md: a section for each file, a table for each type of objects.
std::string results_page(const ResultDescription& all);
/// Its rows: [{"object", "key", "value", "unit", "optional", "meaning"}, …]; null where there is no unit.
nlohmann::ordered_json results_json(const ResultDescription& all);
/// JSON Schema (draft 2020-12) of every file, docs/results.schema.json: `$defs` has each type by its name.
nlohmann::ordered_json results_schema(const ResultDescription& all);
/// python/pithball/results.py: a dataclass for each type.
std::string results_python(const ResultDescription& all);
/// viewer/src/results.ts: an interface for each of these types and those of their fields.
std::string results_typescript(const ResultDescription& all, const std::vector<std::string>& names);

}  // namespace pithball::app
