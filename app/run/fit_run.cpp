#include "app/run/fit_run.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/base/interruption.hpp"
#include "app/base/json_text.hpp"
#include "app/base/progress.hpp"
#include "app/base/version.hpp"
#include "app/result/json_fields.hpp"
#include "app/result/summary.hpp"
#include "app/run/fit_doubts.hpp"
#include "app/run/fitted_trajectories.hpp"
#include "app/run_folder/marker_table.hpp"
#include "optim/fit/cross_validation.hpp"
#include "optim/fit/fit.hpp"
#include "optim/fit/half_step.hpp"
#include "optim/fit/judged_starts.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

/// Every minimum that was found, stage by stage; with the values of the parameters where there were several starts.
std::vector<FitStage> search_of(const optim::FitReport& report, const optim::ParameterMap& map) {
  std::vector<FitStage> stages;
  const bool several = !report.search.empty() && report.search.front().minima.size() > 1;
  for (const optim::StageReport& told : report.search) {
    const optim::SearchStage& by = told.stage;
    FitStage& stage = stages.emplace_back();
    stage.horizon = by.horizon;
    if (by.integrator) stage.integrator = by.integrator->name();
    stage.time_step = by.time_step.value_or(not_known);
    stage.segments = by.segments;
    for (const auto& [start, found, place] : told.minima) {
      FitMinimum& minimum = stage.minima.emplace_back();
      minimum.start = start;
      minimum.place = place;
      minimum.status = optim::to_string(found.status);
      minimum.cost = found.cost;
      minimum.iterations = found.cost_history.empty() ? 0 : found.cost_history.size() - 1;
      if (!several) continue;
      const Vector p = map.physical(found.theta);
      for (Index k = 0; k < map.size(); ++k) minimum.parameters.emplace_back(map.names()[k], p[k]);
    }
  }
  return stages;
}

/// How far each estimate moves when the step is halved, in standard errors.
HalvedStep halving(const optim::FitReport& coarse, const optim::HalvedFit& fine) {
  HalvedStep halved{optim::to_string(fine.status), {}, fine.another_minimum};
  for (std::size_t k = 0; k < coarse.parameters.size(); ++k) {
    const auto& a = coarse.parameters[k];
    const double estimate = fine.estimates[k];
    // Of what is not determined nothing is known: no number of its errors says how far it moves.
    const bool is_known = a.identifiable && std::isfinite(a.standard_error);
    halved.parameters.push_back(
        {a.name, estimate, is_known ? std::abs(estimate - a.estimate) / a.standard_error : not_known});
  }
  return halved;
}

std::vector<JudgedRecording> validation_of(const optim::FitProblem& problem) {
  std::vector<JudgedRecording> all;
  for (const optim::CrossValidation& judged : optim::cross_validate(problem))
    all.push_back({optim::to_string(judged.status), judged.errors});
  return all;
}

/// Where the markers sit that found their own place.
std::vector<FoundAttachment> attachments_of(const Recording& recording) {
  std::vector<FoundAttachment> list;
  for (std::size_t m = 0; m < recording.attachment_distance.size(); ++m) {
    if (std::isnan(recording.attachment_distance[m])) continue;
    const optim::Marker& marker = recording.observation.markers[m];
    FoundAttachment& found = list.emplace_back();
    found.marker = marker.name;
    for (const auto& [vertex, weight] : marker.vertices) {
      found.vertices.push_back(vertex);
      found.weights.push_back(weight);
    }
    found.distance = recording.attachment_distance[m];
  }
  return list;
}

/// Standard deviation of each marker's components in the model's frame [m]: what R makes of those of the recording.
std::vector<std::array<double, 3>> sigma_of(const optim::Observation& observation,
                                            const optim::RecordingFrame& recording_frame) {
  const sim::Mat3 square = recording_frame.rotation_matrix().cwiseAbs2();
  std::vector<std::array<double, 3>> sigma;
  for (std::size_t m = 0; m < observation.markers.size(); ++m) {
    sim::Vec3 own;
    for (int a = 0; a < 3; ++a) own[a] = observation.component_sigma(m, a);
    const sim::Vec3 turned = (square * own.cwiseAbs2()).cwiseSqrt();
    sigma.push_back({turned[0], turned[1], turned[2]});
  }
  return sigma;
}

/// Writes the tracks of each recording; returns its name, its files' names and its fitted values.
std::vector<FittedRecording> write_recordings(const FitSpec& spec, const optim::FitReport& report,
                                              const std::vector<FittedFiles>& files,
                                              const std::vector<diff::Scenario>& fitted, RunFolder& folder) {
  std::vector<FittedRecording> recordings;
  for (std::size_t s = 0; s < report.tracks.size(); ++s) {
    const optim::MarkerTracks& tracks = report.tracks[s];
    const bool is_seen = !tracks.times.empty();
    if (is_seen) folder.write_text(files[s].markers, marker_table(tracks));
    recordings.push_back(
        {.name = tracks.recording,
         .trajectory = files[s].trajectory,
         .attachments = attachments_of(spec.recordings[s]),
         .markers = is_seen ? files[s].markers : "",
         .fitted_values = find_fitted_values(spec.fit->map(), fitted[s], s),
         .sigma = sigma_of(spec.problem().observations[s], spec.fit->map().recording_frame(report.theta, s))});
  }
  return recordings;
}

QualityRecord quality_of(const optim::FitReport& report) {
  const optim::FitQuality& quality = report.quality;
  QualityRecord record{quality.chi_square,
                       quality.degrees,
                       quality.reduced(),
                       quality.tolerance(),
                       quality.is_comparable,
                       quality.fits(),
                       {},
                       report.misfit_causes};
  for (const optim::RecordingMisfit& one : quality.recordings)
    record.recordings.push_back(
        {one.recording, one.misfit, one.noise, one.motion, one.fits(), one.noise_said, one.kind->name});
  return record;
}

/// fit.json of a report.
FitRecord record_of(const optim::FitReport& report, const optim::ParameterMap& map) {
  FitRecord record;
  record.status = optim::to_string(report.status);
  record.message = report.message;
  record.confidence = report.confidence;
  record.parameters = report.parameters;
  for (const auto& row : report.correlation.rowwise()) record.correlation.emplace_back(row.begin(), row.end());
  record.weak_directions = report.weak_directions;
  record.condition = report.condition;
  record.residual_scale = report.residual_scale;
  record.degrees_of_freedom = report.degrees_of_freedom;
  if (report.errors.frames > 0) record.uncertainty = report.errors;
  record.cost_history = report.cost_history;
  for (const Vector& theta : report.path) {
    const Vector p = map.physical(theta);
    record.path.emplace_back(p.begin(), p.end());
  }
  record.errors = {report.fit, report.validation_frames, report.validation_markers, report.recordings};
  record.quality = quality_of(report);
  record.whiteness = report.whiteness;
  record.profiles = report.profiles;
  record.evaluations = {report.evaluations, report.failed_evaluations};
  record.notes = report.notes;
  record.seconds = report.seconds;
  record.search = search_of(report, map);
  record.search_summary = report.search_summary;
  record.alternatives = report.alternatives;
  return record;
}

constexpr const char* journal_name = "journal.bin";

/// Fits, and writes the fitted motions while the run after the search makes them.
optim::FitReport fit_and_keep(const FitSpec& spec, const std::vector<FittedFiles>& files, RunFolder& folder,
                              std::vector<diff::Scenario>& fitted) {
  FittedTrajectories trajectories(folder, files, spec.base.every);
  optim::FitReport report =
      optim::fit(*spec.fit, [&](std::size_t recording, const diff::Scenario& scenario, const sim::Stepper& at) {
        trajectories.keep(recording, scenario, at);
      });
  if (report.tracks.empty()) return report;
  fitted = optim::fitted_scenarios(*spec.fit, report);
  trajectories.finish(fitted);
  return report;
}

/// summary.json of a fit: fit.json's head.
nlohmann::ordered_json summary_of(const FitSpec& spec, const RunOrder& order, const FitResult& result, bool complete) {
  const Summary summary{.program = fmt::format("pithball {}", version),
                        .command = "fit",
                        .name = spec.base.name,
                        .status = to_string(result.verdict.status),
                        .complete = complete,
                        .seconds = result.report.seconds,
                        .threads = order.provenance.threads,
                        .folder = order.target.string()};
  FitOutcome outcome{.why = result.verdict.why,
                     .remedy = result.verdict.remedy,
                     .parameters = result.report.parameters.size(),
                     .recordings = spec.recordings.size(),
                     .trajectories = {}};
  for (const FittedRecording& recording : result.record.recordings)
    outcome.trajectories.push_back(recording.trajectory);
  return to_json(summary, outcome);
}

}  // namespace

FitResult run_fit(const FitSpec& spec, const FitOrder& wanted) {
  const RunOrder& order = wanted.run;
  RunFolder::check(order.target, order.earlier);
  const FitScreening screening = screen_fit(spec);
  if (wanted.screened) wanted.screened(screening);
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
  const std::vector<std::string> screened = screening.doubts;
  for (const auto* said : {&spec.notes, &screened})
    result.report.notes.insert(result.report.notes.begin(), said->begin(), said->end());
  result.ok = result.report.status == optim::MinimizerStatus::Converged;
  result.record = record_of(result.report, spec.fit->map());
  result.record.findings = screening.findings;
  if (wanted.halve_step && result.ok) {
    result.record.halved_step = halving(result.report, optim::refit_at_half_step(*spec.fit, result.report));
  }
  if (spec.cross_validate && result.ok) result.record.cross_validation = validation_of(spec.problem());
  spec.fit->watch({}, nullptr);
  result.verdict = verdict_on_fit(result.report, result.record.halved_step);
  judge_findings(screening.findings, result.verdict);
  if (result.verdict.status == RunStatus::DoesNotFit) result.ok = spec.accept_misfit;
  result.record.status = to_string(result.verdict.status);
  result.record.why = result.verdict.why;
  result.record.remedy = result.verdict.remedy;
  const bool complete = result.report.status != optim::MinimizerStatus::Stopped;

  result.record.recordings = write_recordings(spec, result.report, files, fitted, folder);
  folder.write_text("fit.json", json_text(to_json(result.record)) + "\n");
  folder.write_text("summary.json", json_text(summary_of(spec, order, result, complete)) + "\n");
  if (complete) {
    folder.finish();
    folder.remove(journal_name);  // last: until the run has its name, a killed program takes it up from here
  } else {
    folder.leave_incomplete();
  }
  result.folder = folder.place();
  return result;
}

}  // namespace pithball::app
