#include "app/run/optimize_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/run/design_search.hpp"
#include "app/run/fit_run.hpp"
#include "app/run/prediction_run.hpp"
#include "app/run_folder/finished_fit.hpp"
#include "app/run_folder/kept_states.hpp"
#include "app/run_folder/marker_table.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

optim::PredictedParameter as_predicted(const optim::FittedParameter& p) {
  optim::PredictedParameter predicted;
  predicted.name = p.name;
  predicted.value = p.value;
  predicted.unit = p.unit;
  predicted.at = p.estimate;
  predicted.standard_error = p.standard_error;
  predicted.interval_lower = p.interval.lower;
  predicted.interval_upper = p.interval.upper;
  if (p.identifiable) predicted.determination = optim::Determination::Determined;
  predicted.weak_direction = p.weak_direction;
  return predicted;
}

bool has_error(const optim::FittedParameter& p) {
  return p.identifiable && !p.scope.is_nuisance && std::isfinite(p.standard_error) && p.standard_error > 0;
}

optim::EarlierEstimates estimates_of(const FitRecord& fit) {
  std::vector<std::size_t> known;
  optim::EarlierEstimates earlier;
  for (std::size_t k = 0; k < fit.estimates.parameters.size(); ++k)
    if (has_error(fit.estimates.parameters[k])) {
      known.push_back(k);
      earlier.names.push_back(fit.estimates.parameters[k].name);
    }
  const auto count = static_cast<Index>(known.size());
  const Eigen::MatrixXd& all = fit.estimates.correlation;
  earlier.estimate.resize(count);
  earlier.covariance = Eigen::MatrixXd::Zero(count, count);
  for (Index i = 0; i < count; ++i) {
    const optim::FittedParameter& own = fit.estimates.parameters[known[i]];
    earlier.estimate[i] = own.estimate;
    for (Index k = 0; k < count; ++k) {
      const double correlation = i == k ? 1 : all.size() == 0 ? 0 : all(known[i], known[k]);
      if (std::isfinite(correlation))
        earlier.covariance(i, k) = correlation * own.standard_error * fit.estimates.parameters[known[k]].standard_error;
    }
  }
  return earlier;
}

}  // namespace

EarlierFit read_earlier_fit(const std::filesystem::path& folder) {
  const Run run = read_run(folder);
  const FitRecord& fit = finished_fit(run);
  if (fit.verdict.status == optim::RunStatus::Failed || fit.verdict.status == optim::RunStatus::Stopped)
    throw InvalidArgument({folder.string(), "status", "must be that of a finished search",
                           "'" + to_string(fit.verdict.status) + "'", "finish the fit first"});
  EarlierFit earlier{folder.string(), estimates_of(fit), {}, {}};
  if (earlier.estimates.empty())
    throw InvalidArgument({folder.string(), "fit.json", "must hold a parameter with a standard error", "none",
                           "fit with `standard_errors: computed`, or recordings that determine a parameter"});
  earlier.known.confidence = fit.estimates.confidence;
  earlier.known.spectrum.condition = fit.estimates.condition;
  for (const optim::FittedParameter& p : fit.estimates.parameters)
    if (!p.scope.is_nuisance) earlier.known.parameters.push_back(as_predicted(p));
  if (fit.verdict.status != optim::RunStatus::Converged)
    earlier.notes.push_back("the fit " + folder.string() + " ended as \"" + to_string(fit.verdict.status) +
                            "\": its estimates and errors, on which this plan rests, are doubtful" +
                            (fit.verdict.why.empty() ? "" : " (" + fit.verdict.why + ")"));
  return earlier;
}

namespace {

std::string value_text(const Tree& value) {
  if (value.kind == Tree::Kind::Scalar) return value.text;
  std::string text;
  for (const Tree& entry : value.entries)
    text += (text.empty() ? "" : ", ") + (entry.key.empty() ? "" : entry.key + ": ") + value_text(entry);
  return value.kind == Tree::Kind::List ? "[" + text + "]" : "{" + text + "}";
}

/// Returns the index in the spec of the first designed recording; the others follow it.
std::size_t first_designed(const FitSpec& spec, const OptimizedDesign& design) {
  return std::ranges::find(spec.recordings, design.recordings.front().name, &Recording::name) - spec.recordings.begin();
}

std::vector<OptimizedRecording> recordings_of(const std::vector<DesignedRecording>& designed, const FitSpec& spec) {
  std::vector<diff::Scenario> scenarios;
  for (const Recording& recording : spec.recordings) scenarios.push_back(recording.own.scenario);
  const std::vector<FittedFiles> files = fitted_files(scenarios);
  std::vector<OptimizedRecording> recordings;
  for (const DesignedRecording& one : designed) {
    const auto found = std::ranges::find(spec.recordings, one.name, &Recording::name);
    const FittedFiles& own = files[found - spec.recordings.begin()];
    OptimizedRecording& recording = recordings.emplace_back();
    recording.name = one.name;
    recording.rate = one.rate;
    recording.duration = one.duration;
    recording.frames = static_cast<Index>(found->observation.times.size());
    recording.markers = one.markers;
    recording.measurement = optim::kind_of(found->observation).name;
    recording.trajectory = own.trajectory;
    recording.table = own.markers;
    for (const auto& [path, value] : one.set) recording.set.emplace_back(path, value_text(value));
  }
  return recordings;
}

std::vector<DesignGain> gains_of(const optim::IdentifyReport& before, const optim::IdentifyReport& optimized) {
  std::vector<DesignGain> gains;
  for (const optim::PredictedParameter& p : optimized.parameters) {
    const auto old = std::ranges::find(before.parameters, p.name, &optim::PredictedParameter::name);
    if (old != before.parameters.end()) gains.push_back({p.name, p.unit, old->standard_error, p.standard_error});
  }
  return gains;
}

/// Rejects an optimization if even its best design leaves a requested parameter unidentifiable.
void require_identifiable(const PlanSpec& plan, const OptimizeSpec& optimize, const FitSpec& spec,
                          const optim::IdentifyReport& found) {
  const std::vector<optim::ParameterInfo>& info = spec.fit->map().info();
  for (std::size_t k = 0; k < found.parameters.size(); ++k) {
    const optim::PredictedParameter& p = found.parameters[k];
    const bool counts = optimize.parameter.empty() ? !info[k].is_nuisance : p.name == optimize.parameter;
    if (counts && p.determination == optim::Determination::None)
      throw InvalidArgument({plan.document.root.place.text(), "plan.optimize",
                             "must have a candidate that identifies every parameter that counts",
                             "'" + p.name + "', which none identifies (" + p.weak_direction + ")",
                             "omit it from fit.parameters, give it a prior, or allow other fields, poses and markers"});
  }
}

/// Adds the design of an existing recording without its gaps, so that only its chosen settings are compared.
void add_without_gaps(const PlanSpec& plan, const OptimizeSpec& optimize, PlanRecord& record) {
  const Recording& own = plan.written.recordings[optimize.recording];
  if (own.planned || own.start.kind == InitialStateKind::FromRecording) return;
  const std::vector<double>& times = own.observation.times;
  if (times.size() < 2) return;
  const double duration = times.back() - times.front();
  const DesignedRecording same{own.name, static_cast<double>(times.size() - 1) / duration, duration, {}, {}};
  const FitSpec spec =
      read_fit(design_document(plan.document, plan.written, optimize, {same}, false), FitPurpose::Prediction);
  record.alternatives.push_back({"without gaps", {}, identify_recordings(spec, spec.fit->map().initial())});
}

std::string name_of(const OptimizeSpec& optimize) {
  if (!optimize.parameter.empty()) return optimize.parameter;
  return optimize.optimality == optim::Optimality::D ? "D" : "A";
}

void add_notes(const OptimizeSpec& optimize, const FoundDesign& found, const std::vector<std::string>& failures,
               OptimizedDesign& design) {
  if (!optimize.vary.empty() && !(found.waveform_gain > 1))
    design.notes.push_back("no numbers of `vary` that were found are better than those in the file, which are kept");
  if (!failures.empty())
    design.notes.push_back(
        fmt::format("{} of the candidates could not be simulated: {}", failures.size(), failures.front()));
}

void write_motion(const diff::Scenario& scenario, const std::filesystem::path& file, Index every) {
  datasets::H5mdWriter states(file.string(), trajectory_body(scenario.model, scenario.initial.t));
  const diff::RolloutStatus status = diff::run_forward(scenario, [&](Index n, const sim::State& state) {
    if (n % every != 0 && n != scenario.steps) return;
    const datasets::H5mdBody now = trajectory_body(scenario.model, state.t);
    states.append(n, state, nullptr, &now);
  });
  states.finish(status.ok());
}

}  // namespace

PlanRecord predict_plan_after(const PlanSpec& plan, const EarlierFit& earlier) {
  PlanRecord record = predict_plan(plan, earlier.estimates);
  if (earlier.folder.empty()) return record;
  record.alternatives.insert(record.alternatives.begin(), {"after " + earlier.folder, {}, earlier.known});
  std::vector<std::string>& notes = record.alternatives.front().prediction.notes;
  notes.insert(notes.end(), earlier.notes.begin(), earlier.notes.end());
  return record;
}

OptimizedPlan optimize_plan(const PlanSpec& plan, const EarlierFit& earlier) {
  const OptimizeSpec optimize = plan.optimize ? *plan.optimize : read_optimize(plan.document, plan.written);
  DesignCandidates candidates({plan.document, plan.written, optimize, earlier.estimates});
  const FoundDesign found = search_design(optimize, candidates);
  if (found.settings.empty())
    throw InvalidArgument({plan.document.root.place.text(), "plan.optimize",
                           "must have a candidate that determines anything about the parameters", "none",
                           "allow other fields, poses, rates or markers"});
  const std::vector<DesignedRecording> designed =
      candidates.recordings(found.settings, found.markers.blocks, found.numbers);
  const bool is_sequential = !earlier.folder.empty();
  OptimizedPlan optimized{predict_plan_after(plan, earlier),
                          read_fit(design_document(plan.document, plan.written, optimize, designed, is_sequential),
                                   FitPurpose::Prediction)};
  const FitSpec& spec = optimized.spec;
  PlanRecord& record = optimized.record;
  const optim::Vector theta = optim::start_at(spec.fit->map(), earlier.estimates);
  const optim::IdentifyReport prediction = identify_recordings(spec, theta, earlier.estimates);
  if (prediction.ok()) require_identifiable(plan, optimize, spec, prediction);
  if (!is_sequential) add_without_gaps(plan, optimize, record);
  OptimizedDesign design{.criterion = name_of(optimize),
                         .before = record.alternatives.front().name,
                         .given = earlier.folder,
                         .recordings = recordings_of(designed, spec),
                         .gains = gains_of(record.alternatives.front().prediction, prediction),
                         .waveform_gain = found.waveform_gain,
                         .runs = candidates.runs(),
                         .evaluations = found.evaluations,
                         .notes = {}};
  add_notes(optimize, found, candidates.failures(), design);
  record.alternatives.push_back({optimized_name, {}, prediction});
  record.optimized = std::move(design);
  if (is_sequential)  // the file for the next fit, which includes all recordings
    optimized.spec =
        read_fit(design_document(plan.document, plan.written, optimize, designed, false), FitPurpose::Prediction);
  return optimized;
}

void write_optimized_run(const OptimizedPlan& plan, const PlanSpec& written, const EarlierFit& earlier, double seconds,
                         const RunOrder& order) {
  const OptimizedDesign& design = *plan.record.optimized;
  write_plan_run(plan.record, written.filled, seconds, order, [&](RunFolder& folder) {
    std::string head = fmt::format(
        "# The design found by `pithball plan --optimize`. When a recording exists, write `file:` in place of "
        "`planned:`.\n");
    if (!earlier.folder.empty())
      head += fmt::format("# Its errors: pithball plan planned.yaml --given {}\n", earlier.folder);
    folder.write_text("planned.yaml", head + to_yaml(plan.spec.filled) + "\n");
    const optim::ParameterMap& map = plan.spec.fit->map();
    const optim::Vector theta = optim::start_at(map, earlier.estimates);
    const optim::FitProblem problem = with_simulated_positions(plan.spec, theta);
    const std::size_t first = first_designed(plan.spec, design);
    for (std::size_t r = 0; r < design.recordings.size(); ++r) {
      const diff::Scenario scenario = map.scatter(theta, static_cast<Index>(first + r));
      write_motion(scenario, folder.file(design.recordings[r].trajectory), plan.spec.base.every);
      folder.write_text(design.recordings[r].table,
                        marker_table(optim::compute_tracks(scenario, problem.observations[first + r])));
    }
  });
}

}  // namespace pithball::app
