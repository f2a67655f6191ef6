#include "app/run/diagnose_run.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "app/base/json_text.hpp"
#include "app/base/new_file.hpp"
#include "app/result/json_fields.hpp"
#include "app/run/identify_run.hpp"
#include "app/run_folder/finished_fit.hpp"
#include "app/run_folder/folder_record.hpp"
#include "optim/diagnosis/early_diagnosis.hpp"
#include "optim/fit/prior_widths.hpp"

namespace pithball::app {
namespace {

/// Scales of the residuals at the end of the search, as fit.json has them.
optim::ResidualScales scales_of(const FitRecord& fit, const optim::FitProblem& problem) {
  optim::ResidualScales scales;
  if (fit.estimates.residual_scale > 0) scales.data = fit.estimates.residual_scale;
  if (fit.estimates.uncertainty.loss_threshold > 0)
    scales.threshold = fit.estimates.uncertainty.loss_threshold / problem.loss.threshold;
  return scales;
}

std::string phrase_of(const FitRecord& fit) {
  if (fit.verdict.status != optim::RunStatus::Converged)
    return "the fit ended as \"" + to_string(fit.verdict.status) + "\"";
  return fit.goodness.quality.is_above() ? "the fit converged" : "the fit is good";
}

}  // namespace

ExtendedDiagnosis diagnose_fit(const ExperimentDocument& document, const FitSpec& spec, const DiagnosedEnd& end,
                               const optim::DiagnosisOptions& options) {
  Eigen::AlignedBox3d swept;  // by the motion, and by the body as the file has it
  const auto extend = [&](const sim::State& state) {
    for (Index i = 0; i < state.x.cols(); ++i) swept.extend(sim::Vec3(state.x.col(i)));
  };
  extend(spec.base.scenario.initial);
  for (const diff::Scenario& scenario : spec.fit->map().scenarios()) extend(scenario.initial);
  for (const diff::Scenario& scenario : spec.fit->map().scatter(end.theta))
    diff::run_forward(scenario, [&](Index, const sim::State& state) { extend(state); });
  ExtendedDiagnosis found{{}, add_candidate_forces(document, spec, swept.min(), swept.max())};
  found.extended.spec.fit = optim::with_prior_widths(found.extended.spec.fit, end.widths);
  const auto own = optim::with_prior_widths(spec.fit, end.widths);
  const optim::ResolvedFit &fit = *own, &extended = *found.extended.spec.fit;
  found.diagnosis = optim::diagnose(fit, extended, end.theta, end.scales, options);
  if (!end.fits && !found.diagnosis.names_cause())
    if (std::optional<optim::Diagnosis> early = optim::diagnose_early(fit, extended, end.theta, options)) {
      early->evaluations += found.diagnosis.evaluations;
      early->seconds += found.diagnosis.seconds;
      found.diagnosis = *std::move(early);
    }
  ++found.diagnosis.evaluations.forward;
  return found;
}

DiagnosisRecord diagnose_run(const Run& run, const optim::DiagnosisOptions& options) {
  const FitRecord& fit = finished_fit(run);
  const FitSpec spec = read_fit(run.document);
  const DiagnosedEnd end{prediction_point(spec.fit->map(), run.folder), scales_of(fit, spec.problem()),
                         fit.verdict.status != optim::RunStatus::DoesNotFit, fit.estimates.uncertainty.priors.widths};
  ExtendedDiagnosis found = diagnose_fit(run.document, spec, end, options);
  DiagnosisRecord record{.name = run.summary.name,
                         .run = run.folder.string(),
                         .fit = phrase_of(fit),
                         .diagnosis = std::move(found.diagnosis),
                         .added = std::move(found.extended.added),
                         .untested = {}};
  for (const ExtendedFit::Rejected& one : found.extended.rejected) record.untested.push_back({one.name, one.reason});
  if (std::isnan(record.diagnosis.horizon) && fit.verdict.status != optim::RunStatus::Converged)
    record.diagnosis.notes.push_back("the fit ended as \"" + to_string(fit.verdict.status) +
                                     "\": predicted values are first steps from estimates that a wrong model made");
  for (const RecordingFinding& fault : open_faults(fit.findings)) record.faults.push_back(fault.note());
  for (const RecordingFinding& finding : fit.findings)
    if (finding.finding.kind == optim::FindingKind::Correlated)
      record.diagnosis.notes.push_back(finding.sentence() + ": a filter that dampens the motion looks like a force");
  return record;
}

void write_diagnosis(const std::filesystem::path& folder, const DiagnosisRecord& record) {
  const std::filesystem::path file = folder / "diagnosis.json";
  replace_file(file.string(), json_text(to_json(record)) + "\n");
  add_to_record(folder, {file});
}

}  // namespace pithball::app
