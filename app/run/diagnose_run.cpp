#include "app/run/diagnose_run.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "app/base/json_text.hpp"
#include "app/base/new_file.hpp"
#include "app/result/json_fields.hpp"
#include "app/run/fit_identities.hpp"
#include "app/run/prediction_run.hpp"
#include "app/run_folder/finished_fit.hpp"
#include "app/run_folder/folder_record.hpp"
#include "optim/diagnosis/misfit_diagnosis.hpp"
#include "optim/fit/fit_prior.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

/// Returns the scales of the residuals at the end of the search, as stored in fit.json.
optim::ResidualScales scales_of(const FitRecord& fit, const optim::FitProblem& problem) {
  optim::ResidualScales scales;
  if (fit.estimates.residual_scale > 0) scales.data = fit.estimates.residual_scale;
  if (fit.estimates.uncertainty.loss_threshold > 0)
    scales.threshold = fit.estimates.uncertainty.loss_threshold / problem.loss.threshold();
  return scales;
}

std::string phrase_of(const FitRecord& fit) {
  if (fit.verdict.status != optim::RunStatus::Converged)
    return "the fit ended as \"" + to_string(fit.verdict.status) + "\"";
  return fit.goodness.quality.is_above() ? "the fit converged" : "the misfit is within the noise";
}

}  // namespace

ExtendedDiagnosis diagnose_fit(const ExperimentDocument& document, const FitSpec& spec, const DiagnosedEnd& end,
                               const optim::DiagnosisOptions& options) {
  Eigen::AlignedBox3d swept;  // bounding box of the motion and of the body in the file
  const auto extend = [&](const sim::State& state) {
    for (Index i = 0; i < state.x.cols(); ++i) swept.extend(sim::Vec3(state.x.col(i)));
  };
  extend(spec.base.scenario.initial);
  for (const diff::Scenario& scenario : spec.fit->map().scenarios()) extend(scenario.initial);
  for (const diff::Scenario& scenario : spec.fit->map().scatter(end.theta))
    diff::run_forward(scenario, [&](Index, const sim::State& state) { extend(state); });
  ExtendedDiagnosis found{{}, add_candidate_forces(document, spec.problem(), swept.min(), swept.max())};
  const auto at_end = [&](const std::shared_ptr<const optim::ResolvedFit>& fit) {
    return optim::with_diffusion_at(optim::with_prior_widths(fit, end.widths), end.theta);
  };
  found.extended.spec.fit = at_end(found.extended.spec.fit);
  const auto own = at_end(spec.fit);
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
  if (has_open_identities(spec))
    throw InvalidArgument({run.folder.string(), "diagnose", "must have recordings with known identities",
                           "`identities: unknown` or `partly`",
                           "name the points by identities.csv, and fit that table first"});
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

namespace {

Tree& list_at(Tree& root, const char* section, const char* key) {
  Tree* found = root.find(section);
  Tree* list = found ? found->find(key) : nullptr;
  if (!list) throw InvalidArgument({"run.yaml", fmt::format("{}.{}", section, key), "must be there", "none", ""});
  return *list;
}

/// Returns the name of an item `NAME: settings`, or of a bare NAME.
const std::string& value_of(const Tree& item) { return item.kind == Tree::Kind::Map ? item.entries[0].key : item.text; }

/// Excludes an item from the parameter that covers all items of this value.
void exclude(const std::string& value, Index item, Index count, Tree& parameters) {
  for (Tree& parameter : parameters.entries) {
    if (value_of(parameter) != value || parameter.kind != Tree::Kind::Map) continue;
    Tree& settings = parameter.entries[0];
    if (settings.find("select")) continue;
    std::string others;
    for (Index k = 0; k < count; ++k)
      if (k != item) others += fmt::format("{}{}", others.empty() ? "" : ", ", k);
    put(settings, "select", parse_yaml("[" + others + "]", "diagnose"));
    if (!settings.find("name")) put(settings, "name", quoted_scalar(value));
  }
}

/// Returns the settings of the new parameter, which starts at the value predicted by the test. `is_added`: it is the
/// only parameter of its value.
std::string settings_of(const optim::TestedCandidate& finding, bool is_added) {
  const optim::Candidate& candidate = finding.candidate;
  const bool is_one_of_several = candidate.item >= 0 && !is_added;
  std::string settings =
      fmt::format("{}: {{name: \"{}\"", candidate.value, is_one_of_several ? candidate.name : candidate.value);
  if (is_one_of_several) settings += fmt::format(", select: [{}]", candidate.item);
  if (candidate.is_factor()) settings += ", multiplier: true";
  const double start = candidate.stepped(finding.test.shift)[0];
  const bool keeps_sign = candidate.held.size() == 1 && (start > 0 || candidate.held[0] < 0);
  if (keeps_sign) settings += fmt::format(", initial: {:.17g}", start);
  return settings + "}";
}

/// Adds a missing spring with strength 0; returns its index.
Index add_spring(const optim::Candidate& candidate, ExperimentDocument& document) {
  const optim::MissingSpring& spring = *candidate.missing;
  Tree* system = document.root.find("system");
  Tree* springs = system ? system->find("springs") : nullptr;
  if (!springs) throw InvalidArgument({"run.yaml", "system.springs", "must be there", "none", ""});
  if (!springs->find("added")) put(*springs, "added", parse_yaml("[]", "diagnose"));
  springs->find("added")->entries.push_back(
      parse_yaml(fmt::format("{{between: [{}, {}], {}: 0, rest_length: {:.17g}}}", spring.ends.i, spring.ends.j,
                             candidate.value, spring.rest_length),
                 "diagnose"));
  return static_cast<Index>(read_experiment(document, 0.0).scenario.model.springs().size()) - 1;
}

/// Puts parts in the place of the item at this index of the list of recordings, each with what the item has beside its
/// own keys, and declares that they show one motion.
void split_recording(const Tree& settings, std::ptrdiff_t index, Tree& root) {
  Tree& recordings = list_at(root, "fit", "recordings");
  const Tree whole = recordings.entries[index];
  std::vector<Tree> parts;
  for (const Tree& part : settings.find("recordings")->entries) merge(part, parts.emplace_back(whole));
  recordings.entries.erase(recordings.entries.begin() + index);
  recordings.entries.insert(recordings.entries.begin() + index, parts.begin(), parts.end());
  Tree& fit = *root.find("fit");
  if (!fit.find("same_motion") || fit.find("same_motion")->kind != Tree::Kind::List)
    put(fit, "same_motion", parse_yaml("[]", "diagnose"));
  Tree& groups = *fit.find("same_motion");
  const Tree& pair = settings.find("same_motion")->entries.front();
  for (Tree& group : groups.entries)
    if (std::ranges::count(group.entries, pair.entries.front().text, &Tree::text) > 0) {
      group.entries.push_back(pair.entries.back());  // a recording is in one group only
      return;
    }
  groups.entries.push_back(pair);
}

/// Returns the document with the key that a finding about the time step or a measurement recommends.
ExperimentDocument with_key(ExperimentDocument document, const optim::Candidate& candidate) {
  const Tree settings = parse_yaml("{" + candidate.key + "}", "diagnose");
  if (candidate.recording.empty()) {
    const Tree& setting = settings.entries.front();
    set_at(document.root, setting.key, setting, "diagnose");
    return document;
  }
  if (const Tree* parameters = settings.find("parameters")) {
    Tree& all = list_at(document.root, "fit", "parameters");
    all.entries.insert(all.entries.end(), parameters->entries.begin(), parameters->entries.end());
    return document;
  }
  const std::vector<diff::Scenario> scenarios = read_fit(document).problem().scenarios;
  Tree& recordings = list_at(document.root, "fit", "recordings");
  if (recordings.entries.size() != scenarios.size())
    throw InvalidArgument({"run.yaml", "fit.recordings", "must list every recording by itself",
                           fmt::format("{} items of {} recordings", recordings.entries.size(), scenarios.size()),
                           "write `" + candidate.key + "` to recording '" + candidate.recording + "'"});
  const auto at = std::ranges::find(scenarios, candidate.recording, &diff::Scenario::name) - scenarios.begin();
  Tree& recording = recordings.entries[at];
  if (recording.kind == Tree::Kind::Scalar) {
    Tree item = parse_yaml("{}", "diagnose");
    put(item, "file", recording);
    recording = std::move(item);
  }
  if (settings.find("recordings"))
    split_recording(settings, at, document.root);
  else
    merge(settings, recording);
  return document;
}

}  // namespace

ExperimentDocument with_finding(ExperimentDocument document, const DiagnosisRecord& record,
                                const optim::TestedCandidate& finding) {
  const optim::Candidate& candidate = finding.candidate;
  if (candidate.comes_before_model()) return with_key(std::move(document), candidate);
  const IdleAddition* addition = record.addition_of(candidate);
  if (addition) document = with_addition(std::move(document), *addition);
  optim::TestedCandidate fitted = finding;
  if (candidate.missing) fitted.candidate.item = add_spring(candidate, document);
  Tree& parameters = list_at(document.root, "fit", "parameters");
  if (fitted.candidate.item >= 0 && candidate.owner != sim::ValueOwner::Term) {
    const Experiment base = read_experiment(document, 0.0);
    const sim::Model& model = base.scenario.model;
    const bool of_springs = candidate.owner == sim::ValueOwner::Spring;
    exclude(candidate.value, fitted.candidate.item,
            of_springs ? static_cast<Index>(model.springs().size()) : model.particles(), parameters);
  }
  parameters.entries.push_back(parse_yaml(settings_of(fitted, addition != nullptr), "diagnose"));
  return document;
}

}  // namespace pithball::app
