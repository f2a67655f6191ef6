#include "app/run_folder/compare_record.hpp"

#include "app/base/json_text.hpp"
#include "app/run_folder/json_reading.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

ordered_json figures_json(const RunFigures& run) {
  return {{"method", run.method},
          {"time_step", run.time_step},
          {"status", run.status},
          {"steps", run.steps},
          {"failed_step", run.ok() ? ordered_json(nullptr) : ordered_json(run.steps)},
          {"seconds", run.seconds},
          {"compile_seconds", number_or_null(run.compile_seconds)},
          {"force_evaluations", run.force_evaluations},
          {"coulomb_evaluations", value_or_null(run.coulomb_evaluations)},
          {"linear_solves", run.linear_solves},
          {"cg_iterations", run.cg_iterations},
          {"capped_substeps", run.capped_substeps}};
}

RunFigures read_figures(const ordered_json& json) {
  RunFigures run;
  run.method = json.at("method");
  run.time_step = json.at("time_step");
  run.status = json.at("status");
  run.steps = json.at("steps");
  run.seconds = number_of(json.at("seconds"));
  run.compile_seconds = number_of(json.at("compile_seconds"));
  run.force_evaluations = json.at("force_evaluations");
  if (json.contains("coulomb_evaluations")) run.coulomb_evaluations = optional_of<long>(json.at("coulomb_evaluations"));
  run.linear_solves = json.at("linear_solves");
  run.cg_iterations = json.value("cg_iterations", 0L);
  run.capped_substeps = json.value("capped_substeps", 0L);  // unknown to older runs
  return run;
}

}  // namespace

ordered_json to_json(const MeasuredRun& measured) {
  ordered_json json = figures_json(measured.run);
  json["energy_error"] = {{"mean", number_or_null(measured.energy_mean)},
                          {"standard_deviation", number_or_null(measured.energy_standard_deviation)},
                          {"max", number_or_null(measured.energy_max)}};
  json["position_error"] = {{"rms", number_or_null(measured.position)},
                            {"relative", number_or_null(measured.position_relative)}};
  if (measured.over_time)
    json["over_time"] = {{"time", measured.over_time->time},
                         {"energy_error", numbers_or_null(measured.over_time->energy_error)},
                         {"position_error", numbers_or_null(measured.over_time->position_error)}};
  return json;
}

MeasuredRun read_measured_run(const ordered_json& json) {
  MeasuredRun measured;
  measured.run = read_figures(json);
  const ordered_json &energy = json.at("energy_error"), &position = json.at("position_error");
  measured.energy_mean = number_of(energy.at("mean"));
  measured.energy_standard_deviation = number_of(energy.at("standard_deviation"));
  measured.energy_max = number_of(energy.at("max"));
  measured.position = number_of(position.at("rms"));
  measured.position_relative = number_of(position.at("relative"));
  if (json.contains("over_time")) {
    const ordered_json& over_time = json.at("over_time");
    measured.over_time = ErrorsOverTime{numbers_of(over_time.at("time")), numbers_of(over_time.at("energy_error")),
                                        numbers_of(over_time.at("position_error"))};
  }
  return measured;
}

ordered_json to_json(const ReferenceRun& reference) {
  ordered_json json = figures_json(reference.run);
  json["check"] = reference.check ? to_json(*reference.check) : ordered_json(nullptr);
  json["fine_enough"] = value_or_null(reference.fine_enough);
  return json;
}

ReferenceRun read_reference_run(const ordered_json& json) {
  ReferenceRun reference;
  reference.run = read_figures(json);
  if (!json.at("check").is_null()) reference.check = read_measured_run(json.at("check"));
  reference.fine_enough = optional_of<bool>(json.at("fine_enough"));
  return reference;
}

ordered_json to_json(const CompareRecord& record) {
  ordered_json rows = ordered_json::array();
  for (const MeasuredRun& row : record.rows) rows.push_back(to_json(row));
  return {
      {"backends", record.backends},
      {"reference", to_json(record.reference)},
      {"instants", {{"spacing", record.spacing}}},
      {"energy_scale",
       {{"by", record.energy_by_instant ? "instant" : "largest"}, {"largest", number_or_null(record.largest_energy)}}},
      {"largest_displacement", record.largest_displacement},
      {"smallest_error",
       {{"energy", number_or_null(record.smallest_energy_error)},
        {"position", number_or_null(record.smallest_position_error)}}},
      {"rows", rows},
      {"explanation", record.explanation}};
}

CompareRecord read_compare_record(const ordered_json& json) {
  CompareRecord record;
  if (json.contains("backends")) record.backends = json.at("backends").get<std::map<std::string, std::string>>();
  record.reference = read_reference_run(json.at("reference"));
  record.spacing = json.at("instants").at("spacing");
  record.energy_by_instant = json.at("energy_scale").at("by") == "instant";
  record.largest_energy = number_of(json.at("energy_scale").at("largest"));
  record.largest_displacement = number_of(json.at("largest_displacement"));
  record.smallest_energy_error = number_of(json.at("smallest_error").at("energy"));
  record.smallest_position_error = number_of(json.at("smallest_error").at("position"));
  for (const ordered_json& row : json.at("rows")) record.rows.push_back(read_measured_run(row));
  record.explanation = json.at("explanation");
  return record;
}

}  // namespace pithball::app
