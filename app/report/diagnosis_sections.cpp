#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "app/base/json_text.hpp"
#include "app/report/fit_sections.hpp"
#include "app/report/motion_document.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// A smaller p is 0.
constexpr double least_p = std::numeric_limits<double>::min();

/// So many candidates are listed on the page.
constexpr std::size_t most_candidates = 40;

std::string share_text(const optim::TestedCandidate& finding) {
  return std::isnan(finding.explained) ? "" : fmt::format("{:.0f} %", 100 * std::min(1.0, finding.explained));
}

Section candidate_table(const DiagnosisRecord& record) {
  const optim::Diagnosis& diagnosis = record.diagnosis;
  ordered_json rows = ordered_json::array();
  for (const optim::TestedCandidate& finding : diagnosis.findings) {
    if (rows.size() == most_candidates) break;
    rows.push_back({finding.candidate.name, fmt::format("{:.2g}", finding.test.p),
                    fmt::format("{:.2g}", finding.adjusted), fmt::format("{:.4g}", finding.test.gain),
                    predicted_text(finding), share_text(finding), verdict_on(finding, diagnosis),
                    finding.candidate.key});
  }
  std::string note =
      record.verdict() +
      ". Each value that the fit holds, force that it lacks, and part of the measurement was tested without a refit.";
  if (rows.size() < diagnosis.findings.size())
    note += fmt::format(" The first {} of {}; diagnosis.json lists all.", rows.size(), diagnosis.findings.size());
  return {"table",
          {{"title", "Diagnosis"},
           {"note", note},
           {"columns",
            {{{"label", "candidate"}},
             {{"label", "p"}},
             {{"label", "p for the number of tests"}},
             {{"label", "predicted gain in χ²"}},
             {{"label", "predicted value"}},
             {{"label", "part of the excess of χ²"}},
             {{"label", fmt::format("verdict at level {:g}", diagnosis.level)}},
             {{"label", "to write"}}}},
           {"rows", rows}}};
}

}  // namespace

Sections diagnosis_sections(const DiagnosisRecord& record) {
  if (record.diagnosis.findings.empty()) return {};
  return {candidate_table(record)};
}

void color_by_diagnosis(const DiagnosisRecord& record, const sim::Model& model, ordered_json& motion) {
  std::map<std::string, sim::Vector> colors;
  std::map<std::string, sim::ValueOwner> owners;
  for (const optim::TestedCandidate& finding : record.diagnosis.findings) {
    const optim::Candidate& candidate = finding.candidate;
    if (candidate.owner == sim::ValueOwner::Term || candidate.item < 0 || !candidate.recording.empty()) continue;
    const bool of_springs = candidate.owner == sim::ValueOwner::Spring;
    const auto count = of_springs ? static_cast<sim::Index>(model.springs().size()) : model.particles();
    const auto [color, is_new] = colors.try_emplace(candidate.value, sim::Vector::Constant(count, NAN));
    if (is_new) owners[candidate.value] = candidate.owner;
    if (candidate.item < count)
      color->second[candidate.item] =
          std::copysign(-std::log10(std::max(finding.test.p, least_p)), finding.test.shift[0]);
  }
  for (const auto& [value, numbers] : colors) {
    const std::string label = "missing " + value + " (−log₁₀ p, with the sign of the change)";
    add_coloring(motion,
                 {label, label, "", owners[value] == sim::ValueOwner::Spring ? "springs" : "particles", numbers});
  }
}

}  // namespace pithball::app
