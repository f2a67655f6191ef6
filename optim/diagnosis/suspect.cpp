#include "optim/diagnosis/suspect.hpp"

#include <algorithm>

#include "optim/diagnosis/diagnosis.hpp"
#include "optim/uncertainty/time_blocks.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

MisfitCause cause_of(const TestedCandidate& finding) {
  const Candidate& candidate = finding.candidate;
  std::string named = candidate.name;
  for (const std::string& other : finding.same) named += " or " + other;
  named += formatted(" explains %.0f %% of the excess of χ² (p = %.1g)", 100 * std::min(1.0, finding.explained),
                     finding.adjusted);
  if (candidate.key.empty()) return {named, "`pithball diagnose` names what the model may lack", "", ""};
  return {named, "write `" + candidate.key + "`", candidate.key, candidate.recording};
}

}  // namespace

std::optional<MisfitCause> find_suspect(const ResolvedFit& fit, const Vector& theta, const ResidualScales& scales) {
  DiagnosisOptions options;
  options.level = change_alarm;
  options.elements = false;
  const Diagnosis found = diagnose(fit, fit, theta, scales, options);
  for (const TestedCandidate* candidate : found.lacking())
    if (candidate->explained > telling_part) return cause_of(*candidate);
  return {};
}

}  // namespace pithball::optim
