#include "app/run_folder/json_reading.hpp"

namespace pithball::app {

using nlohmann::ordered_json;

std::vector<std::string> texts_below(const ordered_json& json, const char* key) {
  return json.contains(key) ? json.at(key).get<std::vector<std::string>>() : std::vector<std::string>();
}

}  // namespace pithball::app
