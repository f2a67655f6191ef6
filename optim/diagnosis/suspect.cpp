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

}  // namespace

std::optional<MisfitCause> find_suspect(const ResolvedFit& fit, const Vector& theta, const BoundedErrors& errors) {
  DiagnosisOptions options;
  options.level = change_alarm;
  options.elements = TestedElements::Few;
  const Diagnosis found = diagnose(fit, fit, FittedEnd(fit, theta, errors), options);
  for (const TestedCandidate* candidate : found.lacking())
    if (!(candidate->explained <= telling_part)) return cause_of(*candidate);
  return {};
}

}  // namespace pithball::optim
