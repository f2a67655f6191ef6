#include "app/run/prediction_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/base/json_text.hpp"
#include "app/base/version.hpp"
#include "app/result/fit_record.hpp"
#include "app/result/json_fields.hpp"
#include "app/result/summary.hpp"
#include "app/run/fit_screening.hpp"
#include "app/run_folder/json_reading.hpp"
#include "optim/observation/marker_tracks.hpp"
#include "optim/verdict/run_verdict.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

optim::Vector prediction_point(const optim::ParameterMap& map, const std::filesystem::path& run) {
  optim::Vector theta = map.initial();
  if (run.empty()) return theta;
  const std::filesystem::path file = run / "fit.json";
  const FitRecord fit = read_json_file(file, read_result<FitRecord>);
  for (Index k = 0; k < map.size(); ++k) {
    const optim::ParameterInfo& info = map.info()[k];
    const auto found = std::ranges::find(fit.estimates.parameters, info.name, &optim::FittedParameter::name);
    if (found == fit.estimates.parameters.end())
      throw InvalidArgument({file.string(), "parameters", "must contain every parameter of the experiment",
                             "none named '" + info.name + "'", "name the run of this experiment's fit"});
    theta[k] = info.transform.theta(found->estimate);
  }
  if (!theta.allFinite())
    throw InvalidArgument({file.string(), "parameters", "must contain estimates that the experiment allows", "",
                           "check the transforms and the estimates of the fit"});
  return theta;
}

namespace {

/// Replaces missing readings by 0; the prediction reports why they are missing.
Points known(const Points& readings) {
  return readings.unaryExpr([](double x) { return std::isnan(x) ? 0 : x; });
}

}  // namespace

optim::FitProblem with_simulated_positions(const FitSpec& spec, const optim::Vector& theta) {
  optim::FitProblem problem = spec.problem();
  const optim::ParameterMap& map = spec.fit->map();
  for (std::size_t s = 0; s < spec.recordings.size(); ++s) {
    if (!spec.recordings[s].planned) continue;
    optim::Observation& recorded = problem.observations[s];
    optim::Observation seen = recorded;
    seen.recording_frame = map.recording_frame(theta, static_cast<Index>(s));
    const optim::MarkerTracks tracks = optim::compute_tracks(map.scatter(theta, static_cast<Index>(s)), seen);
    if (!tracks.failure.empty()) continue;  // the prediction will report why
    for (std::size_t f = 0; f < recorded.positions.size(); ++f)
      recorded.positions[f] =
          recorded.instrument ? known(tracks.model[f]) : seen.recording_frame.to_recorded(tracks.model[f]);
  }
  return problem;
}

optim::IdentifyReport identify_recordings(const FitSpec& spec, const optim::Vector& theta,
                                          const optim::EarlierEstimates& earlier) {
  const bool any_planned = std::ranges::any_of(spec.recordings, &Recording::planned);
  optim::IdentifyReport report =
      any_planned ? optim::identify(optim::ResolvedFit(with_simulated_positions(spec, theta)), theta, earlier)
                  : optim::identify(*spec.fit, theta, earlier);
  for (const auto* said : {&spec.notes, &spec.doubts})
    report.notes.insert(report.notes.begin(), said->begin(), said->end());
  for (const RecordingFinding& fault : open_faults(screen_samples(spec))) report.notes.push_back(fault.note());
  return report;
}

PlanRecord predict_plan(const PlanSpec& plan, const optim::EarlierEstimates& earlier) {
  PlanRecord record{plan.name, {}, {}};
  for (const PlanAlternative& alternative : plan.alternatives) {
    const optim::Vector theta = optim::start_at(alternative.spec.fit->map(), earlier);
    record.alternatives.push_back(
        {alternative.name, alternative.changes, identify_recordings(alternative.spec, theta, earlier)});
  }
  return record;
}

namespace {

/// The output of `identify` or `plan`; `file` holds the record.
struct Prediction {
  const char* command;
  const char* file;
  nlohmann::ordered_json record;
  std::string name;
  optim::RunVerdict verdict;
  PredictionOutcome outcome;
  double seconds;
};

/// Adds the doubts and the failure of one prediction to the verdict, each preceded by `prefix`, the prediction's name.
void judge(const optim::IdentifyReport& found, const std::string& prefix, optim::RunVerdict& verdict) {
  for (const std::string& doubt : found.doubts) verdict.doubt(prefix + doubt, "");
  if (found.ok()) return;
  if (verdict.grade() == optim::Grade::Bad)
    verdict.why += "; " + prefix + found.failure;
  else
    verdict.fail(optim::RunStatus::Failed, prefix + found.failure, "");
}

void write_run(Prediction told, const Tree& filled, const RunOrder& order, const WriteFiles& more = {}) {
  told.outcome.explanation = told.verdict.explanation();
  RunFolder folder(order.target, make_input_record(filled, order.provenance), order.earlier);
  folder.write_experiment(filled, order.provenance);
  if (more) more(folder);
  folder.write_text(told.file, json_text(told.record) + "\n");
  const Summary summary{.program = fmt::format("pithball {}", version),
                        .command = told.command,
                        .name = told.name,
                        .status = to_string(told.verdict.status),
                        .seconds = told.seconds,
                        .threads = order.provenance.threads,
                        .folder = order.target.string()};
  folder.write_text("summary.json", json_text(to_json(summary, told.outcome)) + "\n");
  folder.finish();
}

}  // namespace

void write_identify_run(const IdentifyRecord& record, const Tree& filled, double seconds, const RunOrder& order) {
  const optim::IdentifyReport& found = record.prediction;
  optim::RunVerdict verdict{optim::RunStatus::Ok, "", ""};
  judge(found, "", verdict);
  write_run({"identify",
             "identify.json",
             to_json(record),
             record.name,
             std::move(verdict),
             {"", found.sigmas.size(), found.parameters.size()},
             seconds},
            filled, order);
}

void write_plan_run(const PlanRecord& record, const Tree& filled, double seconds, const RunOrder& order,
                    const WriteFiles& more) {
  PredictionOutcome outcome;
  optim::RunVerdict verdict{optim::RunStatus::Ok, "", ""};
  for (const PlannedAlternative& alternative : record.alternatives)
    judge(alternative.prediction, alternative.name + ": ", verdict);
  const optim::IdentifyReport& first = record.alternatives.front().prediction;
  outcome.recordings = first.sigmas.size();
  outcome.parameters = first.parameters.size();
  write_run({"plan", "plan.json", to_json(record), record.name, std::move(verdict), outcome, seconds}, filled, order,
            more);
}

}  // namespace pithball::app
