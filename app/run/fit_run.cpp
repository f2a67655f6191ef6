#include "app/run/fit_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/base/interruption.hpp"
#include "app/base/json_text.hpp"
#include "app/base/progress.hpp"
#include "app/base/version.hpp"
#include "app/run/fit_doubts.hpp"
#include "app/run/fit_findings.hpp"
#include "app/run/fitted_trajectories.hpp"
#include "app/run_folder/fitted_values.hpp"
#include "app/run_folder/marker_table.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const optim::FittedParameter& p) {
  return {{"name", p.name},
          {"value", p.value},
          {"group", text_or_null(p.group)},
          {"recording", text_or_null(p.recording)},
          {"unit", p.unit},
          {"initial", number_or_null(p.initial)},
          {"estimate", number_or_null(p.estimate)},
          {"standard_error", number_or_null(p.standard_error)},
          {"interval", {number_or_null(p.interval_lower), number_or_null(p.interval_upper)}},
          {"identifiable", p.identifiable},
          {"weak_direction", text_or_null(p.weak_direction)},
          {"at_bound", p.at_bound}};
}

ordered_json to_json(const optim::PositionErrors& e) {
  return {{"samples", e.samples},
          {"rms", number_or_null(e.model)},
          {"still", number_or_null(e.still)},
          {"constant_velocity", number_or_null(e.constant_velocity)}};
}

ordered_json to_json(const optim::RecordingErrors& e) {
  ordered_json markers = ordered_json::array();
  for (const optim::PositionErrors& marker : e.markers) markers.push_back(to_json(marker));
  return {{"recording", e.recording},
          {"part", optim::to_string(e.part)},
          {"all", to_json(e.all)},
          {"markers", markers},
          {"failure", text_or_null(e.failure)}};
}

/// The errors as one object: those of the model, and the baselines beside them.
ordered_json errors_json(const optim::FitReport& report) {
  const auto baselines = [](const optim::PositionErrors& e) {
    return ordered_json{{"still", number_or_null(e.still)}, {"constant_velocity", number_or_null(e.constant_velocity)}};
  };
  ordered_json recordings = ordered_json::array();
  for (const optim::RecordingErrors& e : report.recordings) recordings.push_back(to_json(e));
  return {{"fit", number_or_null(report.fit.model)},
          {"forecast", number_or_null(report.forecast.model)},
          {"held_out", number_or_null(report.held_out.model)},
          {"baselines",
           {{"fit", baselines(report.fit)},
            {"forecast", baselines(report.forecast)},
            {"held_out", baselines(report.held_out)}}},
          {"recordings", recordings}};
}

/// Every minimum that was found, stage by stage; with the values of the parameters where there were several starts.
ordered_json search_json(const optim::FitReport& report, const optim::ParameterMap& map) {
  ordered_json stages = ordered_json::array();
  const bool several = !report.search.empty() && report.search.front().minima.size() > 1;
  for (const optim::StageReport& stage : report.search) {
    ordered_json minima = ordered_json::array();
    for (const auto& [start, found] : stage.minima) {
      ordered_json one{{"start", start},
                       {"status", optim::to_string(found.status)},
                       {"cost", number_or_null(found.cost)},
                       {"iterations", found.cost_history.empty() ? 0 : found.cost_history.size() - 1}};
      if (several) {
        one["parameters"] = ordered_json::object();
        const Vector p = map.physical(found.theta);
        for (Index k = 0; k < map.size(); ++k)
          one["parameters"][map.names()[static_cast<std::size_t>(k)]] = number_or_null(p[k]);
      }
      minima.push_back(one);
    }
    stages.push_back(
        {{"horizon", number_or_null(stage.stage.horizon)},
         {"integrator", text_or_null(stage.stage.integrator ? stage.stage.integrator->name() : "")},
         {"time_step", stage.stage.time_step ? number_or_null(*stage.stage.time_step) : ordered_json(nullptr)},
         {"segments", stage.stage.segments},
         {"minima", minima}});
  }
  return stages;
}

/// How far each estimate moves when the step is halved, in standard errors.
ordered_json halving_json(const optim::FitReport& coarse, const optim::FitReport& fine) {
  ordered_json list = ordered_json::array();
  for (std::size_t k = 0; k < coarse.parameters.size(); ++k) {
    const auto& a = coarse.parameters[k];
    const auto& b = fine.parameters[k];
    list.push_back(
        {{"name", a.name},
         {"estimate", number_or_null(b.estimate)},
         {"change_in_standard_errors", number_or_null(std::abs(b.estimate - a.estimate) / a.standard_error)}});
  }
  return {{"status", optim::to_string(fine.status)}, {"parameters", list}};
}

/// Where the markers sit that found their own place.
ordered_json attachments_json(const Recording& recording) {
  ordered_json list = ordered_json::array();
  for (std::size_t m = 0; m < recording.attachment_distance.size(); ++m) {
    if (std::isnan(recording.attachment_distance[m])) continue;
    const optim::Marker& marker = recording.observation.markers[m];
    ordered_json vertices = ordered_json::array(), weights = ordered_json::array();
    for (const auto& [vertex, weight] : marker.vertices) {
      vertices.push_back(vertex);
      weights.push_back(weight);
    }
    list.push_back({{"marker", marker.name},
                    {"vertices", vertices},
                    {"weights", weights},
                    {"distance", recording.attachment_distance[m]}});
  }
  return list;
}

/// Writes the tracks of each recording; returns its name, its files' names and its fitted values.
ordered_json write_recordings(const FitSpec& spec, const optim::FitReport& report,
                              const std::vector<FittedFiles>& files, const std::vector<diff::Scenario>& fitted,
                              RunFolder& folder) {
  ordered_json recordings = ordered_json::array();
  for (std::size_t s = 0; s < files.size(); ++s) {
    const optim::MarkerTracks& tracks = report.tracks[s];
    ordered_json values = ordered_json::array();
    for (const FittedValues& found : find_fitted_values(spec.fit->map(), fitted[s], static_cast<Index>(s)))
      values.push_back(to_json(found));
    if (!tracks.times.empty()) folder.write_text(files[s].markers, marker_table(tracks));
    recordings.push_back({{"name", tracks.recording},
                          {"trajectory", files[s].trajectory},
                          {"attachments", attachments_json(spec.recordings[s])},
                          {"markers", text_or_null(tracks.times.empty() ? "" : files[s].markers)},
                          {"fitted_values", values}});
  }
  return recordings;
}

constexpr const char* journal_name = "journal.bin";

}  // namespace

ordered_json to_json(const optim::FitReport& report) {
  ordered_json parameters = ordered_json::array(), correlation = ordered_json::array();
  for (const optim::FittedParameter& p : report.parameters) parameters.push_back(to_json(p));
  for (Index i = 0; i < report.correlation.rows(); ++i) {
    ordered_json row = ordered_json::array();
    for (Index j = 0; j < report.correlation.cols(); ++j) row.push_back(number_or_null(report.correlation(i, j)));
    correlation.push_back(row);
  }
  ordered_json weak = ordered_json::array();
  for (const optim::WeakDirection& direction : report.weak_directions)
    weak.push_back(
        {{"name", direction.name}, {"relative_singular_value", number_or_null(direction.relative_singular_value)}});
  return {{"status", optim::to_string(report.status)},
          {"message", report.message},
          {"confidence", report.confidence},
          {"parameters", parameters},
          {"correlation", correlation},
          {"weak_directions", weak},
          {"condition", number_or_null(report.condition)},
          {"residual_scale", number_or_null(report.residual_scale)},
          {"degrees_of_freedom", report.degrees_of_freedom},
          {"cost_history", report.cost_history},
          {"errors", errors_json(report)},
          {"whiteness", whiteness_json(report.whiteness)},
          {"profile", profiles_json(report.profiles)},
          {"evaluations",
           {{"forward", report.evaluations.forward},
            {"gradient", report.evaluations.tangent + report.evaluations.adjoint},
            {"tangent", report.evaluations.tangent},
            {"adjoint", report.evaluations.adjoint},
            {"failed", report.failed_evaluations}}},
          {"notes", report.notes},
          {"seconds", report.seconds}};
}

namespace {

/// Fits, and writes the fitted motions while the run after the search makes them.
optim::FitReport fit_and_keep(const FitSpec& spec, const std::vector<FittedFiles>& files, RunFolder& folder,
                              std::vector<diff::Scenario>& fitted) {
  FittedTrajectories trajectories(folder, files, spec.base.every);
  optim::FitReport report =
      optim::fit(*spec.fit, [&](std::size_t recording, const diff::Scenario& scenario, const sim::Stepper& at) {
        trajectories.keep(recording, scenario, at);
      });
  if (report.tracks.empty()) return report;
  fitted = spec.fit->map().scatter(report.theta);
  trajectories.finish(fitted);
  return report;
}

/// summary.json of a fit: fit.json's head.
ordered_json summary_of(const FitSpec& spec, const RunOrder& order, const FitResult& result, bool complete) {
  ordered_json trajectories = ordered_json::array();
  for (const ordered_json& recording : result.json["recordings"]) trajectories.push_back(recording["trajectory"]);
  return {{"program", fmt::format("pithball {}", version)},
          {"command", "fit"},
          {"name", spec.base.name},
          {"status", result.verdict.status},
          {"complete", complete},
          {"why", text_or_null(result.verdict.why)},
          {"remedy", text_or_null(result.verdict.remedy)},
          {"parameters", result.report.parameters.size()},
          {"recordings", spec.recordings.size()},
          {"trajectories", trajectories},
          {"seconds", result.report.seconds},
          {"threads", order.provenance.threads},
          {"folder", order.target.string()}};
}

}  // namespace

FitResult run_fit(const FitSpec& spec, const FitOrder& wanted) {
  const RunOrder& order = wanted.run;
  RunFolder::check(order.target, order.earlier);
  const Interruption interruption;
  Progress bar("fit " + spec.base.name, spec.problem().minimizer.max_iterations, order.progress);
  const auto show = [&](const optim::IterationReport& iteration) { bar.update(iteration.iteration); };
  RunFolder folder(order.target, make_input_record(spec.filled, order.provenance), order.earlier);
  folder.write_experiment(spec.filled, order.provenance);
  spec.fit->watch(show, &Interruption::flag());
  spec.fit->keep_journal(folder.file(journal_name).string());
  const std::vector<FittedFiles> files = fitted_files(spec.problem().scenarios);
  std::vector<diff::Scenario> fitted;
  FitResult result;
  try {
    result.report = fit_and_keep(spec, files, folder, fitted);
  } catch (const InvalidArgument&) {
    spec.fit->watch({}, nullptr);
    if (!folder.resumed()) folder.abandon();
    throw;
  }
  spec.fit->keep_journal("");
  result.ok = result.report.status == optim::MinimizerStatus::Converged;
  result.json = to_json(result.report);
  result.json["search"] = search_json(result.report, spec.fit->map());
  std::optional<optim::FitReport> fine;
  if (wanted.halve_step && result.ok) {
    fine = optim::fit(optim::with_halved_step(spec.problem()));
    result.json["halved_step"] = halving_json(result.report, *fine);
  }
  spec.fit->watch({}, nullptr);
  result.verdict = verdict_on_fit(result.report, fine);
  result.json["status"] = result.verdict.status;
  result.json["why"] = text_or_null(result.verdict.why);
  result.json["remedy"] = text_or_null(result.verdict.remedy);
  const bool complete = result.report.status != optim::MinimizerStatus::Stopped;

  result.json["recordings"] = result.report.tracks.empty()
                                  ? ordered_json::array()
                                  : write_recordings(spec, result.report, files, fitted, folder);
  folder.write_text("fit.json", json_text(result.json) + "\n");
  folder.write_text("summary.json", json_text(summary_of(spec, order, result, complete)) + "\n");
  if (complete) {
    folder.finish();
    folder.remove(journal_name);  // last: until the run has its name, a killed program takes it up from here
  } else {
    folder.leave_incomplete();
  }
  result.folder = folder.place();
  result.json["folder"] = result.folder.string();
  return result;
}

}  // namespace pithball::app
