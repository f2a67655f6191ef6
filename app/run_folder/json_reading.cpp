#include "app/run_folder/json_reading.hpp"

namespace pithball::app {

using nlohmann::ordered_json;

double number_of(const ordered_json& json) { return json.is_null() ? not_known : json.get<double>(); }

std::vector<double> numbers_of(const ordered_json& json) {
  std::vector<double> numbers;
  for (const ordered_json& number : json) numbers.push_back(number_of(number));
  return numbers;
}

std::string text_of(const ordered_json& json) { return json.is_null() ? "" : json.get<std::string>(); }

std::vector<std::string> texts_below(const ordered_json& json, const char* key) {
  return json.contains(key) ? json.at(key).get<std::vector<std::string>>() : std::vector<std::string>();
}

}  // namespace pithball::app
