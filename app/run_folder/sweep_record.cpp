#include "app/run_folder/sweep_record.hpp"

#include "app/base/json_text.hpp"
#include "app/run_folder/json_reading.hpp"

namespace pithball::app {

using nlohmann::ordered_json;

ordered_json to_json(const SweepRecord& record) {
  return {{"program", record.program},
          {"command", record.command},
          {"name", record.name},
          {"tasks", record.tasks},
          {"experiment", record.experiment},
          {"folder", record.folder},
          {"overrides", record.overrides},
          {"files", record.files}};
}

SweepRecord read_sweep_record(const ordered_json& json) {
  return {json.at("program"),
          json.at("command"),
          json.at("name"),
          json.at("tasks"),
          json.at("experiment"),
          json.at("folder"),
          json.at("overrides").get<std::vector<std::string>>(),
          json.at("files")};
}

ordered_json to_json(const TaskResult& result) {
  ordered_json labels = ordered_json::array(), figures = ordered_json::array();
  for (const auto& [name, text] : result.labels) labels.push_back({name, text});
  for (const auto& [name, figure] : result.figures) {
    const double* number = std::get_if<double>(&figure);
    figures.push_back({name, number ? number_or_null(*number) : ordered_json(std::get<std::string>(figure))});
  }
  return {{"task", result.task}, {"status", result.status}, {"labels", labels},
          {"figures", figures},  {"error", result.error},   {"seconds", number_or_null(result.seconds)}};
}

TaskResult read_task_result(const ordered_json& json) {
  TaskResult result{json.at("task"), json.at("status"), {}, {}, json.at("error"), number_of(json.at("seconds"))};
  for (const ordered_json& label : json.at("labels")) result.labels.emplace_back(label.at(0), label.at(1));
  for (const ordered_json& figure : json.at("figures")) {
    const ordered_json& value = figure.at(1);
    result.figures.emplace_back(figure.at(0), value.is_string() ? Figure(value.get<std::string>()) : number_of(value));
  }
  return result;
}

}  // namespace pithball::app
