#include "app/run_folder/scan_record.hpp"

#include "app/result/json_fields.hpp"
#include "app/run_folder/json_reading.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// The values of a point by their keys, before what else is told of it.
ordered_json at_point(const ScanRecord& record, const std::vector<std::string>& values, const ordered_json& told) {
  ordered_json json = ordered_json::object();
  for (std::size_t k = 0; k < record.over.size(); ++k) json[record.over[k].key] = values[k];
  json.update(told);
  return json;
}

std::vector<std::string> read_point(const ScanRecord& record, const ordered_json& json) {
  std::vector<std::string> values;
  for (const ScanAxis& axis : record.over) values.push_back(json.at(axis.key));
  return values;
}

}  // namespace

ordered_json to_json(const ScanRecord& record) {
  ordered_json over = ordered_json::array(), rows = ordered_json::array(), references = ordered_json::array();
  for (const ScanAxis& axis : record.over) over.push_back({{"key", axis.key}, {"values", axis.values}});
  for (const ScanRow& row : record.rows) rows.push_back(at_point(record, row.values, to_json(row.run)));
  for (const ScanReference& reference : record.references)
    references.push_back(at_point(record, reference.values, to_json(reference.reference)));
  return {{"over", over}, {"rows", rows}, {"references", references}, {"explanation", record.explanation}};
}

ScanRecord read_scan_record(const ordered_json& json) {
  ScanRecord record;
  for (const ordered_json& axis : json.at("over"))
    record.over.push_back({axis.at("key"), axis.at("values").get<std::vector<std::string>>()});
  for (const ordered_json& row : json.at("rows"))
    record.rows.push_back({read_point(record, row), read_result<MeasuredRun>(row)});
  for (const ordered_json& reference : json.at("references"))
    record.references.push_back({read_point(record, reference), read_result<ReferenceRun>(reference)});
  record.explanation = json.at("explanation");
  return record;
}

}  // namespace pithball::app
