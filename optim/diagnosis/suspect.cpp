#include "optim/diagnosis/suspect.hpp"

#include <algorithm>
#include <cmath>

#include "optim/diagnosis/diagnosis.hpp"
#include "optim/diagnosis/fitted_end.hpp"
#include "optim/uncertainty/time_blocks.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// What to do about a value that no key changes.
std::string remedy_without_key(const Candidate& candidate) {
  if (candidate.value == "smoothing") return "fit the recording as it was before a filter, or with a shorter exposure";
  if (candidate.value == "marker_offset") return "check where the marker is attached";
  return "`pithball diagnose` names what the model may lack";
}

MisfitCause cause_of(const TestedCandidate& finding) {
  const Candidate& candidate = finding.candidate;
  std::string named = candidate.name;
  if (candidate.value == "smoothing") named += formatted(" as of a mean over %.2g s", std::sqrt(finding.test.shift[0]));
  for (const std::string& other : finding.same) named += " or " + other;
  named += std::isnan(finding.explained)
               ? formatted(" would lower χ² by %.3g", finding.test.gain)
               : formatted(" explains %.0f %% of the excess of χ²", 100 * std::min(1.0, finding.explained));
  named += formatted(" (p = %.1g)", finding.adjusted);
  if (candidate.key.empty()) return {named, remedy_without_key(candidate), "", ""};
  return {named, "write `" + candidate.key + "`", candidate.key, candidate.recording};
}

/// What of these is significant and explains enough.
const TestedCandidate* find_telling(const Diagnosis& found) {
  for (const TestedCandidate* candidate : found.lacking())
    if (!(candidate->explained <= telling_part)) return candidate;
  return nullptr;
}

}  // namespace

std::optional<MisfitCause> find_suspect(const ResolvedFit& fit, const Vector& theta, const BoundedErrors& errors) {
  const FittedEnd end(fit, theta, errors);
  DiagnosisOptions options;
  options.level = change_alarm;
  options.elements = TestedElements::Few;
  const Diagnosis quick = diagnose(fit, fit, end, options);
  const TestedCandidate* suspect = find_telling(quick);
  if (!suspect) return {};
  if (!quick.has_untested) return cause_of(*suspect);
  // A single spring or particle may be the true cause, for which a value of the whole body or its clock stands.
  options.elements = TestedElements::All;
  const Diagnosis whole = diagnose(fit, fit, end, options);
  const TestedCandidate* better = find_telling(whole);
  return cause_of(better ? *better : *suspect);
}

}  // namespace pithball::optim
