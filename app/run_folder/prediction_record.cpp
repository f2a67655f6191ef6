#include "app/run_folder/prediction_record.hpp"

#include <algorithm>

#include "app/base/json_text.hpp"
#include "app/run_folder/json_reading.hpp"
#include "app/spec/renamed_keys.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// So many of the weakest directions are kept whole.
constexpr std::size_t most_vectors = 12;

ordered_json parameter_json(const optim::PredictedParameter& p) {
  return {{"name", p.name},
          {"value", p.value},
          {"unit", p.unit},
          {"at", number_or_null(p.at)},
          {"standard_error", number_or_null(p.standard_error)},
          {"interval", {number_or_null(p.interval_lower), number_or_null(p.interval_upper)}},
          {"determination", optim::to_string(p.determination)},
          {"weak_direction", text_or_null(p.weak_direction)}};
}

optim::PredictedParameter read_parameter(const ordered_json& json) {
  optim::PredictedParameter p;
  p.name = current_value_name(json.at("name"));
  p.value = current_value_name(json.at("value"));
  p.unit = json.at("unit");
  p.at = number_of(json.at("at"));
  p.standard_error = number_of(json.at("standard_error"));
  p.interval_lower = number_of(json.at("interval").at(0));
  p.interval_upper = number_of(json.at("interval").at(1));
  for (const auto kind : {optim::Determination::Determined, optim::Determination::Poor, optim::Determination::None})
    if (json.at("determination") == optim::to_string(kind)) p.determination = kind;
  p.weak_direction = text_of(json.at("weak_direction"));
  return p;
}

ordered_json growth_json(const optim::SensitivityGrowth& growth) {
  return {{"recording", growth.recording},
          {"times", growth.times},
          {"shift", growth.shift},
          {"extent", growth.extent},
          {"doublings_per_second", number_or_null(growth.doublings_per_second)},
          {"late_doublings", number_or_null(growth.late_doublings)},
          {"exponential", growth.exponential()},
          {"useless_from", number_or_null(growth.useless_from)}};
}

optim::SensitivityGrowth read_growth(const ordered_json& json) {
  optim::SensitivityGrowth growth;
  growth.recording = json.at("recording");
  growth.times = numbers_of(json.at("times"));
  growth.shift = numbers_of(json.at("shift"));
  growth.extent = number_of(json.at("extent"));
  growth.doublings_per_second = number_of(json.at("doublings_per_second"));
  growth.late_doublings = number_of(json.at("late_doublings"));
  if (!json.at("useless_from").is_null()) growth.useless_from = number_of(json.at("useless_from"));
  return growth;
}

ordered_json direction_json(const SingularDirection& direction) {
  ordered_json json{{"value", number_or_null(direction.value)}, {"direction", direction.name}};
  if (!direction.vector.empty()) json["vector"] = numbers_or_null(direction.vector);
  return json;
}

/// Appends the further parts of a record.
void add_prediction(const PredictionRecord& record, ordered_json& json) {
  ordered_json sigmas = ordered_json::array(), parameters = sigmas, singular = sigmas, weak = sigmas,
               correlation = sigmas, growth = sigmas;
  for (const SupposedSigmaRecord& one : record.sigmas)
    sigmas.push_back({{"recording", one.recording}, {"least", one.least}, {"most", one.most}, {"said", one.said}});
  for (const optim::PredictedParameter& p : record.parameters) parameters.push_back(parameter_json(p));
  for (const SingularDirection& direction : record.directions) singular.push_back(direction_json(direction));
  for (const optim::WeakDirection& direction : record.weak_directions)
    weak.push_back(
        {{"name", direction.name}, {"relative_singular_value", number_or_null(direction.relative_singular_value)}});
  for (const std::vector<double>& row : record.correlation) correlation.push_back(numbers_or_null(row));
  for (const optim::SensitivityGrowth& g : record.growth) growth.push_back(growth_json(g));
  json.update({{"status", record.ok() ? "ok" : "failed"},
               {"failure", text_or_null(record.failure)},
               {"confidence", record.confidence},
               {"residuals", record.residuals},
               {"sigma", sigmas},
               {"priors", record.priors},
               {"parameters", parameters},
               {"singular_values", singular},
               {"condition", number_or_null(record.condition)},
               {"weak_directions", weak},
               {"scale_symmetry", record.scale_symmetry},
               {"correlation", correlation},
               {"growth", growth},
               {"notes", record.notes}});
}

PredictionRecord read_prediction(const ordered_json& json) {
  PredictionRecord record;
  record.failure = text_of(json.at("failure"));
  record.confidence = json.at("confidence");
  record.residuals = json.at("residuals");
  for (const ordered_json& one : json.at("sigma"))
    record.sigmas.push_back(
        {one.at("recording"), number_of(one.at("least")), number_of(one.at("most")), one.at("said")});
  record.priors = json.at("priors");
  for (const ordered_json& p : json.at("parameters")) record.parameters.push_back(read_parameter(p));
  for (const ordered_json& one : json.at("singular_values")) {
    SingularDirection& direction = record.directions.emplace_back();
    direction.value = number_of(one.at("value"));
    direction.name = one.at("direction");
    if (one.contains("vector")) direction.vector = numbers_of(one.at("vector"));
  }
  record.condition = number_of(json.at("condition"));
  for (const ordered_json& one : json.at("weak_directions")) {
    optim::WeakDirection& direction = record.weak_directions.emplace_back();
    direction.name = one.at("name");
    direction.relative_singular_value = number_of(one.at("relative_singular_value"));
  }
  record.scale_symmetry = texts_below(json, "scale_symmetry");
  for (const ordered_json& row : json.at("correlation")) record.correlation.push_back(numbers_of(row));
  for (const ordered_json& growth : json.at("growth")) record.growth.push_back(read_growth(growth));
  record.notes = texts_below(json, "notes");
  return record;
}

}  // namespace

PredictionRecord prediction_record(const optim::IdentifyReport& report) {
  PredictionRecord record;
  record.failure = report.failure;
  record.confidence = report.confidence;
  record.residuals = report.rows;
  for (const optim::SupposedSigma& one : report.sigmas)
    record.sigmas.push_back({one.recording, one.least, one.most, one.sentence()});
  record.priors = report.has_priors;
  record.parameters = report.parameters;
  for (std::size_t k = 0; k < report.directions.size(); ++k) {
    SingularDirection& direction = record.directions.emplace_back();
    direction.value = report.singular_values[k];
    direction.name = report.directions[k];
    if (k + most_vectors < report.directions.size()) continue;
    const auto vector = report.vectors.col(k);
    direction.vector.assign(vector.begin(), vector.end());
  }
  record.condition = report.condition;
  record.weak_directions = report.weak_directions;
  record.scale_symmetry = report.scale_symmetry;
  for (const auto& row : report.correlation.rowwise()) record.correlation.emplace_back(row.begin(), row.end());
  record.growth = report.growth;
  record.notes = report.notes;
  return record;
}

ordered_json to_json(const IdentifyRecord& record) {
  ordered_json json{{"name", record.name}, {"at", record.at}};
  add_prediction(record.prediction, json);
  return json;
}

ordered_json to_json(const PlanRecord& record) {
  ordered_json rows = ordered_json::array();
  for (const PlannedAlternative& alternative : record.alternatives) {
    ordered_json set = ordered_json::object();
    for (const auto& [key, value] : alternative.set) set[key] = value;
    rows.push_back({{"name", alternative.name}, {"set", set}});
    add_prediction(alternative.prediction, rows.back());
  }
  ordered_json json{{"name", record.name}, {"alternatives", rows}};
  if (record.optimized) json["optimized"] = to_json(*record.optimized);
  return json;
}

IdentifyRecord read_identify_record(const ordered_json& json) {
  return {json.at("name"), json.at("at"), read_prediction(json)};
}

PlanRecord read_plan_record(const ordered_json& json) {
  PlanRecord record{json.at("name"), {}, {}};
  if (json.contains("optimized")) record.optimized = read_optimized_design(json.at("optimized"));
  for (const ordered_json& row : json.at("alternatives")) {
    PlannedAlternative& alternative = record.alternatives.emplace_back();
    alternative.name = row.at("name");
    for (const auto& [key, value] : row.at("set").items()) alternative.set.emplace_back(key, value);
    alternative.prediction = read_prediction(row);
  }
  return record;
}

}  // namespace pithball::app
