#include "app/run_folder/alternatives_record.hpp"

#include "app/base/json_text.hpp"
#include "app/run_folder/fit_record.hpp"
#include "app/run_folder/json_reading.hpp"

namespace pithball::app {

using nlohmann::ordered_json;

ordered_json alternatives_json(const std::vector<AlternativeRecord>& alternatives) {
  ordered_json list = ordered_json::array();
  for (const AlternativeRecord& other : alternatives) {
    ordered_json parameters = ordered_json::array();
    for (const optim::FittedParameter& p : other.parameters) parameters.push_back(to_json(p));
    list.push_back({{"delta_chi_square", number_or_null(other.delta_chi_square)},
                    {"searches", other.searches},
                    {"parameters", parameters}});
  }
  return list;
}

std::vector<AlternativeRecord> read_alternatives(const ordered_json& json) {
  std::vector<AlternativeRecord> list;
  for (const ordered_json& item : json) {
    AlternativeRecord& other = list.emplace_back();
    other.delta_chi_square = number_of(item.at("delta_chi_square"));
    other.searches = item.at("searches");
    for (const ordered_json& p : item.at("parameters")) other.parameters.push_back(read_fitted_parameter(p));
  }
  return list;
}

}  // namespace pithball::app
