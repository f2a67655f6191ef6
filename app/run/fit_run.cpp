#include "app/run/fit_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/base/interruption.hpp"
#include "app/base/json_text.hpp"
#include "app/base/new_file.hpp"
#include "app/base/progress.hpp"
#include "app/base/version.hpp"
#include "app/result/json_fields.hpp"
#include "app/result/summary.hpp"
#include "app/run/fit_identities.hpp"
#include "app/run/fit_screening.hpp"
#include "app/run_folder/kept_states.hpp"
#include "app/run_folder/marker_table.hpp"
#include "optim/cross_validation.hpp"
#include "optim/fit.hpp"
#include "optim/fit/half_step.hpp"
#include "optim/fit/judged_starts.hpp"
#include "sim/core/error.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::app {

std::vector<FittedFiles> fitted_files(const std::vector<diff::Scenario>& scenarios) {
  std::vector<FittedFiles> files;
  std::vector<std::string> stems;
  for (const diff::Scenario& scenario : scenarios) {
    const std::string first = file_stem(scenario.name);
    std::string stem = first;
    for (int k = 2; std::find(stems.begin(), stems.end(), stem) != stems.end(); ++k)
      stem = fmt::format("{}-{}", first, k);
    stems.push_back(stem);
    files.push_back({"trajectory-" + stem + ".h5", "markers-" + stem + ".csv"});
  }
  return files;
}

FittedTrajectories::Writer& FittedTrajectories::writer(std::size_t recording, const diff::Scenario& fitted) {
  const auto found = writers_.find(recording);
  if (found != writers_.end()) return found->second;
  datasets::H5mdWriter states(folder_.file(files_[recording].trajectory).string(),
                              trajectory_body(fitted.model, fitted.initial.t));
  return writers_.emplace(recording, Writer{std::move(states)}).first->second;
}

void FittedTrajectories::keep(std::size_t recording, const diff::Scenario& fitted, const sim::Stepper& at) {
  const bool is_last = at.n() == fitted.steps;
  if (at.n() % every_ != 0 && !is_last) return;
  const datasets::H5mdBody now = trajectory_body(fitted.model, at.state().t);
  const sim::State state = at.synchronized();
  const std::lock_guard lock(one_at_a_time_);
  if (at.n() == 0) writers_.erase(recording);  // the search continued from a better point: start over
  Writer& file = writer(recording, fitted);
  file.states.append(at.n(), state, nullptr, &now);
  file.complete = is_last;
}

void FittedTrajectories::finish(const std::vector<diff::Scenario>& fitted) {
  for (std::size_t s = 0; s < fitted.size(); ++s) {
    Writer& file = writer(s, fitted[s]);
    file.states.finish(file.complete);
  }
  writers_.clear();
}

namespace {

std::vector<JudgedRecording> validation_of(const optim::FitProblem& problem, const optim::MinimizerWatch& watch) {
  std::vector<JudgedRecording> all;
  for (const optim::CrossValidation& judged : optim::cross_validate(problem, watch))
    all.push_back({optim::to_string(judged.status), judged.errors});
  return all;
}

/// Returns the attachments found for the markers that are attached by position.
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

/// Returns the standard deviation of each marker's components in the model's frame [m]: that of the recording,
/// transformed by scale · R.
std::vector<std::array<double, 3>> sigma_of(const optim::Observation& observation,
                                            const optim::RecordingFrame& recording_frame) {
  const sim::Mat3 square = (recording_frame.scale() * recording_frame.rotation_matrix()).cwiseAbs2();
  std::vector<std::array<double, 3>> sigma;
  for (std::size_t m = 0; m < observation.markers.size(); ++m) {
    sim::Vec3 own;
    for (int a = 0; a < 3; ++a) own[a] = observation.noise.component_sigma(m, a);
    const sim::Vec3 turned = (square * own.cwiseAbs2()).cwiseSqrt();
    sigma.push_back({turned[0], turned[1], turned[2]});
  }
  return sigma;
}

std::optional<FittedCamera> camera_of(const optim::Observation& observation, const optim::RecordingFrame& frame) {
  const auto own = [&](const char* name) { return frame.values()[optim::recording_frame_offset(name)]; };
  if (kind_of(observation).geometry.registration != optim::Registration::CameraPose || !(own("focal_length") > 0))
    return {};
  const sim::Mat3 R = frame.rotation_matrix();
  FittedCamera camera;
  for (int a = 0; a < 3; ++a) {
    camera.position[a] = frame.translation[a];
    camera.right[a] = R(a, 0);
    camera.down[a] = R(a, 1);
    camera.ahead[a] = R(a, 2);
  }
  camera.half_width = own("principal_x") / own("focal_length");
  camera.half_height = own("principal_y") / own("focal_length");
  return camera;
}

/// Writes the tracks of each recording; returns the recordings' names, their files, and their fitted values.
std::vector<FittedRecording> write_recordings(const FitSpec& spec, const optim::FitReport& report,
                                              const std::vector<FittedFiles>& files,
                                              const std::vector<diff::Scenario>& fitted, RunFolder& folder) {
  std::vector<FittedRecording> recordings;
  for (std::size_t s = 0; s < report.tracks.size(); ++s) {
    const optim::MarkerTracks& tracks = report.tracks[s];
    const bool is_seen = !tracks.times.empty();
    if (is_seen) folder.write_text(files[s].markers, marker_table(tracks));
    const optim::Observation& observation = spec.problem().observations[s];
    const optim::RecordingFrame frame = spec.fit->map().recording_frame(report.theta, s);
    recordings.push_back({.name = tracks.recording,
                          .trajectory = files[s].trajectory,
                          .attachments = attachments_of(spec.recordings[s]),
                          .markers = is_seen ? files[s].markers : "",
                          .fitted_values = find_fitted_values(spec.fit->map(), fitted[s], s),
                          .sigma = sigma_of(observation, frame),
                          .camera = camera_of(observation, frame)});
  }
  return recordings;
}

constexpr const char* journal_name = "journal.bin";

/// Fits, and writes the fitted motions during the run that follows the search.
optim::FitAtBothSteps fit_and_keep(const FitSpec& spec, bool halve_step, FittedTrajectories trajectories,
                                   const optim::SearchWatch& watch, std::vector<diff::Scenario>& fitted) {
  const auto keep = [&](std::size_t recording, const diff::Scenario& scenario, const sim::Stepper& at) {
    trajectories.keep(recording, scenario, at);
  };
  optim::FitAtBothSteps found = halve_step ? optim::fit_at_both_steps(*spec.fit, keep, watch)
                                           : optim::FitAtBothSteps{optim::fit(*spec.fit, keep, watch), {}};
  if (found.report.tracks.empty()) return found;
  fitted = optim::fitted_scenarios(*spec.fit, found.report);
  trajectories.finish(fitted);
  return found;
}

/// Returns the content of summary.json of a fit: the general part of fit.json.
nlohmann::ordered_json summary_of(const FitSpec& spec, const RunOrder& order, const FitRecord& fit, bool complete) {
  const Summary summary{.program = fmt::format("pithball {}", version),
                        .command = "fit",
                        .name = spec.base.name,
                        .status = to_string(fit.verdict.status),
                        .complete = complete,
                        .seconds = fit.seconds,
                        .threads = order.provenance.threads,
                        .folder = order.target.string()};
  FitOutcome outcome{.why = fit.verdict.why,
                     .remedy = fit.verdict.remedy,
                     .parameters = fit.estimates.parameters.size(),
                     .recordings = spec.recordings.size(),
                     .trajectories = {}};
  for (const FittedRecording& recording : fit.recordings) outcome.trajectories.push_back(recording.trajectory);
  return to_json(summary, outcome);
}

/// Returns fit.json without its recordings: the report, and the additional results that were requested.
FitRecord make_record(const FitSpec& spec, const FitScreening& screening, const optim::FitAtBothSteps& found,
                      const optim::MinimizerWatch& watch) {
  const optim::FitReport& report = found.report;
  const bool has_converged = report.search.status == optim::MinimizerStatus::Converged;
  FitRecord record;
  record.estimates = report.estimates;
  record.goodness = report.goodness;
  record.search = report.search;
  record.findings = screening.findings;
  record.notes = screening.doubts;
  record.seconds = report.seconds;
  record.notes.insert(record.notes.end(), spec.notes.begin(), spec.notes.end());
  record.notes.insert(record.notes.end(), report.notes.begin(), report.notes.end());
  record.halved_step = found.halved;
  if (spec.cross_validate && has_converged) record.cross_validation = validation_of(spec.problem(), watch);
  record.verdict = record.halved_step ? optim::judge(report, &*record.halved_step) : report.verdict;
  explain_failed_start(spec, report.theta, record.verdict);
  judge_findings(screening.findings, record.verdict);
  return record;
}

/// Adds what was found of identities to the result.
void take_identities(const FitSpec& spec, const std::vector<optim::RecordingIdentities>& identities,
                     FitRecord& record) {
  for (const optim::RecordingIdentities& one : identities) record.notes.push_back(one.sentence());
  judge_identities(spec, identities, record.verdict);
  record.identities = identities;
}

}  // namespace

FitResult run_fit(const FitSpec& written, const FitOrder& wanted) {
  const RunOrder& order = wanted.run;
  RunFolder::check(order.target, order.earlier);
  const FitScreening screening = screen_fit(written);
  if (wanted.screened) wanted.screened(screening);
  require_time_units(screening);
  const Interruption interruption;
  Progress bar("fit " + written.base.name, written.problem().search.minimizer.max_iterations, order.progress);
  const auto show = [&](const optim::IterationReport& iteration) { bar.update(iteration.iteration); };
  RunFolder folder(order.target, make_input_record(written.filled, order.provenance), order.earlier);
  folder.write_experiment(written.filled, order.provenance);
  const optim::SearchWatch watch{{show, &Interruption::flag()}, folder.file(journal_name).string()};
  const std::vector<FittedFiles> files = fitted_files(written.problem().scenarios);
  std::vector<diff::Scenario> fitted;
  optim::FitAtBothSteps found;
  std::optional<IdentifiedFit> identified;  // none: identities are known
  const auto spec = [&]() -> const FitSpec& { return identified ? identified->spec : written; };
  try {
    if (has_open_identities(written)) identified = find_fit_identities(written, watch.minimizer);
    found = fit_and_keep(spec(), wanted.halve_step, {folder, files, written.base.every}, watch, fitted);
  } catch (const InvalidArgument&) {
    if (!folder.resumed()) folder.abandon();
    throw;
  }
  FitRecord record = make_record(spec(), screening, found, watch.minimizer);
  if (identified) take_identities(identified->spec, identified->identities, record);
  const optim::FitReport& report = found.report;
  const bool complete = report.search.status != optim::MinimizerStatus::Stopped;

  record.recordings = write_recordings(spec(), report, files, fitted, folder);
  if (!record.identities.empty()) folder.write_text("identities.csv", identity_table(spec(), record.identities));
  folder.write_text("fit.json", json_text(to_json(record)) + "\n");
  folder.write_text("summary.json", json_text(summary_of(written, order, record, complete)) + "\n");
  if (complete) {
    folder.finish();
    folder.remove(journal_name);  // last: until the run has its name, a killed program resumes from the journal
  } else {
    folder.leave_incomplete();
  }
  const bool ok = record.verdict.status == optim::RunStatus::DoesNotFit
                      ? written.accept_misfit
                      : report.search.status == optim::MinimizerStatus::Converged;
  return {std::move(record), ok, folder.place()};
}

}  // namespace pithball::app
