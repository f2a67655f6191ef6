#include "app/run_folder/fit_record.hpp"

#include <algorithm>
#include <cmath>

#include "app/base/json_text.hpp"
#include "app/run_folder/fit_findings.hpp"
#include "app/run_folder/json_reading.hpp"
#include "app/spec/renamed_keys.hpp"
#include "optim/measurement/measurement_kinds.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

ordered_json position_errors_json(const optim::PositionErrors& e) {
  return {{"samples", e.samples},
          {"rms", number_or_null(e.model)},
          {"static", number_or_null(e.static_baseline)},
          {"constant_velocity", number_or_null(e.constant_velocity)}};
}

optim::PositionErrors read_position_errors(const ordered_json& json, const optim::MeasurementKind* kind) {
  return {json.at("samples"), number_of(json.at("rms")), number_of(json.at("static")),
          number_of(json.at("constant_velocity")), kind};
}

ordered_json recording_errors_json(const optim::RecordingErrors& e) {
  ordered_json markers = ordered_json::array();
  for (const optim::PositionErrors& marker : e.markers) markers.push_back(position_errors_json(marker));
  return {{"recording", e.recording},
          {"measurement", e.all.kind->name},
          {"part", optim::to_string(e.part)},
          {"all", position_errors_json(e.all)},
          {"markers", markers},
          {"failure", text_or_null(e.failure)}};
}

optim::RecordingErrors read_recording_errors(const ordered_json& json) {
  optim::RecordingErrors e;
  e.recording = json.at("recording");
  for (const optim::Part part : optim::all_parts)
    if (json.at("part") == optim::to_string(part)) e.part = part;
  // Runs of earlier versions hold positions only.
  const optim::MeasurementKind* kind = optim::find_measurement_kind(json.value("measurement", "point"));
  e.all = read_position_errors(json.at("all"), kind);
  for (const ordered_json& marker : json.at("markers")) e.markers.push_back(read_position_errors(marker, kind));
  e.failure = text_of(json.at("failure"));
  return e;
}

/// The errors as one object: those of the model, and the baselines beside them.
ordered_json errors_json(const FitErrors& errors) {
  const auto baselines = [](const optim::PositionErrors& e) {
    return ordered_json{{"static", number_or_null(e.static_baseline)},
                        {"constant_velocity", number_or_null(e.constant_velocity)}};
  };
  ordered_json recordings = ordered_json::array();
  for (const optim::RecordingErrors& e : errors.recordings) recordings.push_back(recording_errors_json(e));
  return {{"fit", number_or_null(errors.fit.model)},
          {"validation_frames", number_or_null(errors.validation_frames.model)},
          {"validation_markers", number_or_null(errors.validation_markers.model)},
          {"baselines",
           {{"fit", baselines(errors.fit)},
            {"validation_frames", baselines(errors.validation_frames)},
            {"validation_markers", baselines(errors.validation_markers)}}},
          {"recordings", recordings}};
}

FitErrors read_errors(const ordered_json& json) {
  std::vector<optim::RecordingErrors> recordings;
  for (const ordered_json& recording : json.at("recordings")) recordings.push_back(read_recording_errors(recording));
  const auto pooled = [&](const char* part) {
    const ordered_json& baselines = json.at("baselines").at(part);
    return optim::PositionErrors{0, number_of(json.at(part)), number_of(baselines.at("static")),
                                 number_of(baselines.at("constant_velocity")), optim::common_kind(recordings)};
  };
  return {pooled("fit"), pooled("validation_frames"), pooled("validation_markers"), recordings};
}

ordered_json evaluations_json(const FitEvaluations& evaluations) {
  const optim::EvaluationCounts& counts = evaluations.counts;
  return {{"forward", counts.forward},
          {"gradient", counts.tangent + counts.adjoint},
          {"tangent", counts.tangent},
          {"adjoint", counts.adjoint},
          {"failed", evaluations.failed}};
}

FitEvaluations read_evaluations(const ordered_json& json) {
  return {{json.at("forward"), json.at("tangent"), json.at("adjoint")}, json.at("failed")};
}

ordered_json minimum_json(const FitMinimum& minimum) {
  ordered_json json{{"start", minimum.start},
                    {"status", minimum.status},
                    {"cost", number_or_null(minimum.cost)},
                    {"iterations", minimum.iterations},
                    {"place", minimum.place >= 0 ? ordered_json(minimum.place) : ordered_json(nullptr)}};
  for (const auto& [name, value] : minimum.parameters) json["parameters"][name] = number_or_null(value);
  return json;
}

FitMinimum read_minimum(const ordered_json& json) {
  FitMinimum minimum{json.at("start"), json.at("status"), number_of(json.at("cost")), json.at("iterations"), {}};
  if (json.contains("place") && !json.at("place").is_null()) minimum.place = json.at("place");
  if (json.contains("parameters"))
    for (const auto& [name, value] : json.at("parameters").items())
      minimum.parameters.emplace_back(name, number_of(value));
  return minimum;
}

ordered_json search_json(const std::vector<FitStage>& search) {
  ordered_json stages = ordered_json::array();
  for (const FitStage& stage : search) {
    ordered_json minima = ordered_json::array();
    for (const FitMinimum& minimum : stage.minima) minima.push_back(minimum_json(minimum));
    stages.push_back({{"horizon", number_or_null(stage.horizon)},
                      {"integrator", text_or_null(stage.integrator)},
                      {"time_step", number_or_null(stage.time_step)},
                      {"segments", stage.segments},
                      {"minima", minima}});
  }
  return stages;
}

FitStage read_stage(const ordered_json& json) {
  FitStage stage;
  stage.horizon = number_of(json.at("horizon"));
  stage.integrator = text_of(json.at("integrator"));
  stage.time_step = number_of(json.at("time_step"));
  stage.segments = json.at("segments");
  for (const ordered_json& minimum : json.at("minima")) stage.minima.push_back(read_minimum(minimum));
  return stage;
}

HalvedStep read_halved_step(const ordered_json& json) {
  HalvedStep halved{json.at("status"), {}, json.value("another_minimum", false)};
  for (const ordered_json& change : json.at("parameters"))
    halved.parameters.push_back(
        {change.at("name"), number_of(change.at("estimate")), number_of(change.at("change_in_standard_errors"))});
  return halved;
}

ordered_json recording_json(const FittedRecording& recording) {
  ordered_json attachments = ordered_json::array(), values = attachments, sigma = attachments;
  for (const FoundAttachment& found : recording.attachments)
    attachments.push_back({{"marker", found.marker},
                           {"vertices", found.vertices},
                           {"weights", found.weights},
                           {"distance", found.distance}});
  for (const FittedValues& found : recording.fitted_values) values.push_back(to_json(found));
  for (const auto& of_marker : recording.sigma) sigma.push_back(numbers_or_null({of_marker.begin(), of_marker.end()}));
  return {{"name", recording.name},     {"trajectory", recording.trajectory},
          {"attachments", attachments}, {"markers", text_or_null(recording.markers)},
          {"fitted_values", values},    {"sigma", sigma}};
}

FittedRecording read_recording(const ordered_json& json) {
  FittedRecording recording;
  recording.name = json.at("name");
  recording.trajectory = json.at("trajectory");
  if (json.contains("attachments"))  // unknown to older fits
    for (const ordered_json& found : json.at("attachments"))
      recording.attachments.push_back({found.at("marker"), found.at("vertices").get<std::vector<Index>>(),
                                       numbers_of(found.at("weights")), number_of(found.at("distance"))});
  recording.markers = text_of(json.at("markers"));
  for (const ordered_json& found : json.at("fitted_values"))
    recording.fitted_values.push_back(read_fitted_values(found));
  if (json.contains("sigma"))  // unknown to older fits
    for (const ordered_json& of : json.at("sigma"))
      recording.sigma.push_back({number_of(of.at(0)), number_of(of.at(1)), number_of(of.at(2))});
  return recording;
}

/// A row of as many numbers as there are parameters for each iteration.
void read_path(const ordered_json& json, FitRecord& record) {
  for (const ordered_json& row : json) record.path.push_back(numbers_of(row));
  const auto is_whole = [&](const std::vector<double>& row) { return row.size() == record.parameters.size(); };
  if (!std::ranges::all_of(record.path, is_whole))
    throw InvalidArgument({"fit.json", "path", "must have a number for each parameter", "others", "repeat the fit"});
}

/// What fits of older programs may lack.
void read_later_parts(const ordered_json& json, FitRecord& record) {
  if (json.contains("quality") && !json.at("quality").is_null()) record.quality = read_quality(json.at("quality"));
  if (json.contains("uncertainty") && !json.at("uncertainty").is_null())
    record.uncertainty = read_error_report(json.at("uncertainty"));
  if (json.contains("whiteness")) record.whiteness = read_whiteness(json.at("whiteness"));
  if (json.contains("path")) read_path(json.at("path"), record);
  if (json.contains("profile")) record.profiles = read_profiles(json.at("profile"));
  if (json.contains("findings")) record.findings = read_findings(json.at("findings"));
  record.notes = texts_below(json, "notes");
  record.search_summary = texts_below(json, "search_summary");
  if (json.contains("alternatives")) record.alternatives = read_alternatives(json.at("alternatives"));
  if (json.contains("search"))
    for (const ordered_json& stage : json.at("search")) record.search.push_back(read_stage(stage));
  if (json.contains("halved_step")) record.halved_step = read_halved_step(json.at("halved_step"));
  if (json.contains("cross_validation"))
    for (const ordered_json& judged : json.at("cross_validation"))
      record.cross_validation.push_back({judged.at("status"), read_recording_errors(judged)});
  if (json.contains("why")) record.why = text_of(json.at("why"));
  if (json.contains("remedy")) record.remedy = text_of(json.at("remedy"));
}

void require_square(const std::vector<std::vector<double>>& correlation, std::size_t parameters) {
  const auto is_whole = [&](const std::vector<double>& row) { return row.size() == parameters; };
  if (!correlation.empty() && (correlation.size() != parameters || !std::ranges::all_of(correlation, is_whole)))
    throw InvalidArgument(
        {"fit.json", "correlation", "must have a row and a column for each parameter", "others", "repeat the fit"});
}

}  // namespace

optim::FittedParameter read_fitted_parameter(const ordered_json& json) {
  optim::FittedParameter p;
  p.name = current_value_name(json.at("name"));
  p.value = current_value_name(json.at("value"));
  p.group = text_of(json.at("group"));
  p.recording = text_of(json.at("recording"));
  p.is_nuisance = json.value("nuisance", false);  // unknown to older fits
  p.unit = json.at("unit");
  p.initial = number_of(json.at("initial"));
  p.estimate = number_of(json.at("estimate"));
  p.standard_error = number_of(json.at("standard_error"));
  p.interval_lower = number_of(json.at("interval").at(0));
  p.interval_upper = number_of(json.at("interval").at(1));
  p.identifiable = json.at("identifiable");
  p.weak_direction = text_of(json.at("weak_direction"));
  p.at_bound = json.at("at_bound");
  if (!json.contains("standard_errors")) return p;  // of an older fit
  const ordered_json& errors = json.at("standard_errors");
  p.formal_error = number_of(errors.at("formal"));
  p.robust_error = number_of(errors.at("robust"));
  p.jackknife_error = number_of(errors.at("jackknife"));
  p.widest = read_error_kind(json.at("interval_from"));
  p.half_step_shift = number_of(json.at("half_step_shift"));
  p.extrapolated = number_of(json.at("extrapolated"));
  if (json.contains("upper_limit")) p.upper_limit = number_of(json.at("upper_limit"));
  if (json.contains("upper_limit_holds") && !json.at("upper_limit_holds").is_null())  // unknown to older fits
    p.limit_holds = json.at("upper_limit_holds");
  if (!json.contains("interval_by")) return p;  // likewise
  p.method = read_interval_method(json.at("interval_by"));
  p.curvature = number_of(json.at("curvature"));
  return p;
}

ordered_json to_json(const optim::FittedParameter& p) {
  return {{"name", p.name},
          {"value", p.value},
          {"group", text_or_null(p.group)},
          {"recording", text_or_null(p.recording)},
          {"nuisance", p.is_nuisance},
          {"unit", p.unit},
          {"initial", number_or_null(p.initial)},
          {"estimate", number_or_null(p.estimate)},
          {"standard_error", number_or_null(p.standard_error)},
          {"standard_errors",
           {{"formal", number_or_null(p.formal_error)},
            {"robust", number_or_null(p.robust_error)},
            {"jackknife", number_or_null(p.jackknife_error)}}},
          {"interval_from", optim::to_string(p.widest)},
          {"interval", {number_or_null(p.interval_lower), number_or_null(p.interval_upper)}},
          {"upper_limit", number_or_null(p.upper_limit)},
          {"upper_limit_holds", std::isnan(p.upper_limit) ? ordered_json(nullptr) : ordered_json(p.limit_holds)},
          {"interval_by", optim::to_string(p.method)},
          {"curvature", number_or_null(p.curvature)},
          {"identifiable", p.identifiable},
          {"weak_direction", text_or_null(p.weak_direction)},
          {"at_bound", p.at_bound},
          {"half_step_shift", number_or_null(p.half_step_shift)},
          {"extrapolated", number_or_null(p.extrapolated)}};
}

ordered_json to_json(const HalvedStep& halved) {
  ordered_json list = ordered_json::array();
  for (const HalvedStep::Change& change : halved.parameters)
    list.push_back({{"name", change.name},
                    {"estimate", number_or_null(change.estimate)},
                    {"change_in_standard_errors", number_or_null(change.in_standard_errors)}});
  return {{"status", halved.status}, {"another_minimum", halved.another_minimum}, {"parameters", list}};
}

ordered_json to_json(const FitRecord& record) {
  ordered_json parameters = ordered_json::array(), correlation = parameters, weak = parameters, recordings = parameters,
               path = parameters;
  for (const optim::FittedParameter& p : record.parameters) parameters.push_back(to_json(p));
  for (const std::vector<double>& row : record.correlation) correlation.push_back(numbers_or_null(row));
  for (const optim::WeakDirection& direction : record.weak_directions)
    weak.push_back(
        {{"name", direction.name}, {"relative_singular_value", number_or_null(direction.relative_singular_value)}});
  for (const std::vector<double>& row : record.path) path.push_back(numbers_or_null(row));
  for (const FittedRecording& recording : record.recordings) recordings.push_back(recording_json(recording));
  ordered_json json{{"status", record.status},
                    {"message", record.message},
                    {"confidence", record.confidence},
                    {"parameters", parameters},
                    {"correlation", correlation},
                    {"weak_directions", weak},
                    {"condition", number_or_null(record.condition)},
                    {"residual_scale", number_or_null(record.residual_scale)},
                    {"degrees_of_freedom", record.degrees_of_freedom},
                    {"uncertainty", record.uncertainty ? to_json(*record.uncertainty) : ordered_json(nullptr)},
                    {"cost_history", record.cost_history},
                    {"path", path},
                    {"errors", errors_json(record.errors)},
                    {"quality", record.quality ? to_json(*record.quality) : ordered_json(nullptr)},
                    {"whiteness", whiteness_json(record.whiteness)},
                    {"profile", profiles_json(record.profiles)},
                    {"evaluations", evaluations_json(record.evaluations)},
                    {"findings", findings_json(record.findings)},
                    {"notes", record.notes},
                    {"seconds", record.seconds},
                    {"search", search_json(record.search)},
                    {"search_summary", record.search_summary},
                    {"alternatives", alternatives_json(record.alternatives)}};
  if (record.halved_step) json["halved_step"] = to_json(*record.halved_step);
  for (const JudgedRecording& judged : record.cross_validation) {
    json["cross_validation"].push_back(recording_errors_json(judged.errors));
    json["cross_validation"].back()["status"] = judged.status;
  }
  json["why"] = text_or_null(record.why);
  json["remedy"] = text_or_null(record.remedy);
  json["recordings"] = recordings;
  return json;
}

FitRecord read_fit_record(const ordered_json& json) {
  FitRecord record;
  record.status = json.at("status");
  record.message = json.at("message");
  record.confidence = json.at("confidence");
  for (const ordered_json& p : json.at("parameters")) record.parameters.push_back(read_fitted_parameter(p));
  for (const ordered_json& row : json.at("correlation")) record.correlation.push_back(numbers_of(row));
  require_square(record.correlation, record.parameters.size());
  for (const ordered_json& direction : json.at("weak_directions")) {
    record.weak_directions.emplace_back();
    record.weak_directions.back().name = direction.at("name");
    record.weak_directions.back().relative_singular_value = number_of(direction.at("relative_singular_value"));
  }
  record.condition = number_of(json.at("condition"));
  record.residual_scale = number_of(json.at("residual_scale"));
  record.degrees_of_freedom = json.at("degrees_of_freedom");
  record.cost_history = numbers_of(json.at("cost_history"));
  record.errors = read_errors(json.at("errors"));
  record.evaluations = read_evaluations(json.at("evaluations"));
  record.seconds = number_of(json.at("seconds"));
  for (const ordered_json& recording : json.at("recordings")) record.recordings.push_back(read_recording(recording));
  read_later_parts(json, record);
  return record;
}

}  // namespace pithball::app
