#include "app/result/diagnosis_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/base/estimate_text.hpp"
#include "optim/diagnosis/remedy.hpp"

namespace pithball::app {
namespace {

using optim::TestedCandidate;

/// If there are more numbers, their root mean square is shown instead.
constexpr Eigen::Index listed_numbers = 3;

/// "p = 3e-9, explains 88 % of the excess of χ²"
std::string evidence_text(const TestedCandidate& finding) {
  std::string text = fmt::format("p = {:.2g}", finding.adjusted);
  if (!std::isnan(finding.explained))
    text += fmt::format(", explains {:.0f} % of the excess of χ²", 100 * std::min(1.0, finding.explained));
  return text;
}

/// "; the recordings do not tell it from gravity; write `placement: {fit: rotation}`"
std::string remarks_on(const TestedCandidate& finding) {
  std::string text;
  if (!finding.same.empty())
    text += fmt::format("; the recordings do not tell it from {}", fmt::join(finding.same, ", "));
  if (!finding.candidate.key.empty()) text += fmt::format("; write `{}`", finding.candidate.key);
  if (const std::string effect = optim::effect_of_remedy(finding.candidate); !effect.empty()) text += ": " + effect;
  return text;
}

}  // namespace

std::string predicted_text(const optim::TestedCandidate& finding) {
  const optim::Candidate& candidate = finding.candidate;
  const sim::Vector at = candidate.stepped(finding.test.shift);
  // If the inverse value decreases along the step, d(value)/dβ = (value/held)².
  const double scale = candidate.is_positive ? std::pow(std::min(1.0, at[0] / candidate.held[0]), 2) : 1;
  if (at.size() == 1) return estimate_text(at[0], scale * finding.test.error[0], candidate.unit);
  std::string text;
  if (const double root = std::sqrt(static_cast<double>(at.size())); at.size() > listed_numbers)
    return estimate_text(at.norm() / root, finding.test.error.norm() / root, candidate.unit) +
           fmt::format(" (RMS of {} numbers)", at.size());
  for (Eigen::Index k = 0; k < at.size(); ++k)
    text += (k == 0 ? "[" : ", ") + estimate_text(at[k], finding.test.error[k], "");
  return text + "] " + candidate.unit;
}

const char* verdict_on(const TestedCandidate& finding, const optim::Diagnosis& diagnosis) {
  if (finding.is_undecided) return "undecided: more runs would be needed";
  if (finding.order == 1 && diagnosis.leaves_most()) return "largest gain, not the cause";
  if (finding.order == 1) return finding.candidate.comes_before_model() ? "to rule out first" : "lacking";
  if (finding.order > 1) return finding.candidate.comes_before_model() ? "also rule out" : "also lacking";
  return finding.adjusted < diagnosis.level ? "significant alone" : "";
}

const IdleAddition* DiagnosisRecord::addition_of(const optim::Candidate& candidate) const {
  if (candidate.comes_before_model()) return nullptr;
  optim::Index number = std::max<optim::Index>(candidate.item, 0);
  for (const IdleAddition& addition : added)
    if (std::ranges::find(addition.values, candidate.value) != addition.values.end() && number-- == 0) return &addition;
  return nullptr;
}

std::string DiagnosisRecord::place_of(const optim::Candidate& candidate) const {
  if (candidate.owner != sim::ValueOwner::Term || candidate.item < 0 || candidate.comes_before_model()) return "";
  const IdleAddition* addition = addition_of(candidate);
  return addition ? addition->settings : "";
}

std::string DiagnosisRecord::verdict() const {
  if (!diagnosis.ok()) return "the model cannot be diagnosed here: " + diagnosis.failure;
  if (faults.empty()) return finding_text();
  return fmt::format("first correct the recordings, {}; as they are, {}", fmt::join(faults, "; "), finding_text());
}

std::string DiagnosisRecord::finding_text() const {
  const std::vector<const optim::TestedCandidate*> lacking = diagnosis.lacking();
  const std::string outcome =
      fit + (std::isnan(diagnosis.horizon) ? "" : fmt::format("; its first {:.2g} s fit alone", diagnosis.horizon));
  if (lacking.empty() && diagnosis.significant() == 0)
    return fmt::format("{}, and none of {} candidates would improve it significantly", outcome,
                       diagnosis.findings.size());
  if (lacking.empty())
    return fmt::format(
        "{}, and of {} candidates {} are significant, but only "
        "by estimated derivatives",
        outcome, diagnosis.findings.size(), diagnosis.significant());
  const TestedCandidate& first = *lacking.front();
  std::string text = outcome + (diagnosis.leaves_most() ? ", and no candidate explains most of the misfit: first is"
                                : first.candidate.comes_before_model() ? ", yet first rule out"
                                                                       : ", yet the model lacks");
  for (const TestedCandidate* finding : lacking) {
    const std::string place = place_of(finding->candidate);
    text += fmt::format("{} {} = {}{} ({}){}", finding->order == 1 ? "" : ";", finding->candidate.name,
                        predicted_text(*finding), place.empty() ? "" : " of " + place, evidence_text(*finding),
                        remarks_on(*finding));
  }
  if (const auto more = diagnosis.significant() - static_cast<sim::Index>(lacking.size()); more > 0)
    text += fmt::format("; {} more {} significant alone", more, more == 1 ? "is" : "are");
  return text;
}

void fields(FieldVisitor& v, UntestedCandidate& one) {
  v.is("UntestedCandidate", "a candidate that the experiment cannot have");
  v("name", one.name, "\"quadratic_drag\"");
  v("reason", one.reason, "why, in a phrase");
}

void fields(FieldVisitor& v, IdleAddition& one) {
  v.is("Addition", "what the fit does not have, and was added for the tests");
  v("values", one.values, "values that it adds");
  v("settings", one.settings, "its item of `forces:` or of `system:`, as YAML");
  v("replaces", one.replaces, "the force whose place it takes; empty: none");
  v("of_system", one.of_system, "whether the settings belong to `system:`");
}

void fields(FieldVisitor& v, DiagnosisRecord& record) {
  optim::Diagnosis& diagnosis = record.diagnosis;
  v.is("DiagnosisResult", "what the model of a fit lacks");
  v("name", record.name, "of the experiment");
  v("run", record.run, "run folder of the fit");
  v("fit", record.fit, "how the fit ended, in a phrase");
  v.computed(
      "status", [&] { return std::string(diagnosis.ok() ? "ok" : "failed"); },
      "\"ok\", or \"failed\": nothing was tested");
  v("failure", or_null(diagnosis.failure), "why nothing was tested; null: it was");
  v.computed(
      "verdict", [&] { return record.verdict(); }, "the result in a sentence");
  v("faults", record.faults, "what screening found in the recordings, and what to write: to correct first");
  v("level", known(diagnosis.level), "adjusted p below which a candidate is significant");
  v.computed(
      "significant", [&] { return diagnosis.significant(); }, "number of significant findings");
  v("horizon", diagnosis.horizon, in("s"),
    "simulated time after which frames were left out, because the fit of all of them is too far off; null: none were");
  v("excess", diagnosis.excess,
    "χ² of the fit beyond its degrees of freedom; null: sigma is not a measured noise, or the excess is not beyond "
    "chance");
  v("findings", diagnosis.findings, "all that were tested: what is lacking, then smallest p first");
  v("same_as_fitted", diagnosis.same_as_fitted, "candidates that the fitted values explain, or without any effect");
  v("untested", record.untested, "candidates that this experiment cannot have");
  v("added", record.added, "what was added, in the order of its candidates");
  v.block("evaluations", "DiagnosisEvaluations", "number of evaluations of the model and its derivatives", [&] {
    v("forward", diagnosis.evaluations.forward, "runs without derivatives");
    v("tangent", diagnosis.evaluations.tangent, "directions or runs with tangents");
    v("adjoint", diagnosis.evaluations.adjoint, "adjoints of recorded runs");
  });
  v("seconds", diagnosis.seconds, in("s"), "duration of the diagnosis");
  v("notes", diagnosis.notes, "what else to know, one sentence each");
}

}  // namespace pithball::app
