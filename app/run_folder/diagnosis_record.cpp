#include "app/run_folder/diagnosis_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/base/estimate_text.hpp"
#include "app/base/json_text.hpp"
#include "app/run_folder/json_reading.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;
using sim::ValueOwner;

constexpr std::array<std::pair<ValueOwner, const char*>, 3> owners{
    {{ValueOwner::Particle, "particle"}, {ValueOwner::Spring, "spring"}, {ValueOwner::Term, "term"}}};

ordered_json vector_json(const sim::Vector& v) { return numbers_or_null({v.begin(), v.end()}); }

sim::Vector read_vector(const ordered_json& json) {
  const std::vector<double> numbers = numbers_of(json);
  return Eigen::Map<const sim::Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

ordered_json candidate_json(const optim::Candidate& candidate) {
  ordered_json json{{"name", candidate.name},
                    {"value", candidate.value},
                    {"unit", candidate.unit},
                    {"recording", text_or_null(candidate.recording)}};
  for (const auto& [owner, word] : owners)
    if (candidate.owner == owner) json["owner"] = word;
  json["item"] = candidate.item < 0 ? ordered_json(nullptr) : ordered_json(candidate.item);
  json["held"] = vector_json(candidate.held);
  json["one_sided"] = candidate.one_sided;
  json["positive"] = candidate.is_positive;
  return json;
}

optim::Candidate read_candidate(const ordered_json& json) {
  optim::Candidate candidate;
  candidate.name = json.at("name");
  candidate.value = json.at("value");
  candidate.unit = json.at("unit");
  candidate.recording = text_of(json.at("recording"));
  for (const auto& [owner, word] : owners)
    if (json.at("owner") == word) candidate.owner = owner;
  if (!json.at("item").is_null()) candidate.item = json.at("item");
  candidate.held = read_vector(json.at("held"));
  candidate.one_sided = json.at("one_sided");
  candidate.is_positive = json.at("positive");
  return candidate;
}

ordered_json finding_json(const optim::TestedCandidate& finding) {
  ordered_json json = candidate_json(finding.candidate);
  json.update({{"p", number_or_null(finding.test.p)},
               {"adjusted_p", number_or_null(finding.adjusted)},
               {"gain", number_or_null(finding.test.gain)},
               {"change", vector_json(finding.test.shift)},
               {"predicted", vector_json(finding.candidate.stepped(finding.test.shift))},
               {"standard_error", vector_json(finding.test.error)},
               {"share", number_or_null(finding.test.share)},
               {"exact", finding.is_exact},
               {"order", finding.order}});
  return json;
}

optim::TestedCandidate read_finding(const ordered_json& json) {
  optim::TestedCandidate finding;
  finding.candidate = read_candidate(json);
  finding.test.p = number_of(json.at("p"));
  finding.adjusted = number_of(json.at("adjusted_p"));
  finding.test.gain = number_of(json.at("gain"));
  finding.test.shift = read_vector(json.at("change"));
  finding.test.error = read_vector(json.at("standard_error"));
  finding.test.share = number_of(json.at("share"));
  finding.is_exact = json.at("exact");
  finding.order = json.at("order");
  return finding;
}

}  // namespace

std::string predicted_text(const optim::TestedCandidate& finding) {
  const optim::Candidate& candidate = finding.candidate;
  const sim::Vector at = candidate.stepped(finding.test.shift);
  // Where a decrease is one of the inverse, d(value)/dβ = (value/held)².
  const double scale = candidate.is_positive ? std::pow(std::min(1.0, at[0] / candidate.held[0]), 2) : 1;
  if (at.size() == 1) return estimate_text(at[0], scale * finding.test.error[0], candidate.unit);
  std::string text;
  for (Eigen::Index k = 0; k < at.size(); ++k)
    text += (k == 0 ? "[" : ", ") + estimate_text(at[k], finding.test.error[k], "");
  return text + "] " + candidate.unit;
}

const char* verdict_on(const optim::TestedCandidate& finding, double level) {
  if (finding.order == 1) return "lacking";
  if (finding.order > 1) return "lacking, too";
  return finding.adjusted < level ? "significant alone" : "";
}

const IdleAddition* DiagnosisRecord::addition_of(const optim::Candidate& candidate) const {
  optim::Index number = std::max<optim::Index>(candidate.item, 0);
  for (const IdleAddition& addition : added)
    if (std::ranges::find(addition.values, candidate.value) != addition.values.end() && number-- == 0) return &addition;
  return nullptr;
}

std::string DiagnosisRecord::place_of(const optim::Candidate& candidate) const {
  if (candidate.owner != sim::ValueOwner::Term || candidate.item < 0) return "";
  const IdleAddition* addition = addition_of(candidate);
  return addition ? addition->settings : "";
}

std::string DiagnosisRecord::verdict() const {
  if (!diagnosis.ok()) return "the model cannot be diagnosed here: " + diagnosis.failure;
  const std::vector<const optim::TestedCandidate*> lacking = diagnosis.lacking();
  if (lacking.empty() && diagnosis.significant() == 0)
    return fmt::format("{}, and none of {} candidates would improve it significantly", fit, diagnosis.findings.size());
  if (lacking.empty())
    return fmt::format("{}, and of {} candidates {} are significant, but only by estimated derivatives", fit,
                       diagnosis.findings.size(), diagnosis.significant());
  std::string text = fmt::format("{}, yet the model lacks", fit);
  for (const optim::TestedCandidate* finding : lacking) {
    const std::string place = place_of(finding->candidate);
    text += fmt::format("{} {} = {}{} (p = {:.2g})", finding->order == 1 ? "" : ";", finding->candidate.name,
                        predicted_text(*finding), place.empty() ? "" : " of " + place, finding->adjusted);
  }
  if (const auto more = diagnosis.significant() - static_cast<sim::Index>(lacking.size()); more > 0)
    text += fmt::format("; {} more {} significant alone", more, more == 1 ? "is" : "are");
  return text;
}

ordered_json to_json(const DiagnosisRecord& record) {
  const optim::Diagnosis& diagnosis = record.diagnosis;
  ordered_json findings = ordered_json::array(), same = findings, untested = findings;
  for (const optim::TestedCandidate& finding : diagnosis.findings) findings.push_back(finding_json(finding));
  for (const optim::Candidate& candidate : diagnosis.same_as_fitted) same.push_back(candidate_json(candidate));
  for (const UntestedCandidate& one : record.untested) untested.push_back({{"name", one.name}, {"reason", one.reason}});
  ordered_json added = ordered_json::array();
  for (const IdleAddition& one : record.added)
    added.push_back(
        {{"values", one.values}, {"settings", one.settings}, {"replaces", one.replaces}, {"of_system", one.of_system}});
  return {{"name", record.name},
          {"run", record.run},
          {"fit", record.fit},
          {"status", diagnosis.ok() ? "ok" : "failed"},
          {"failure", text_or_null(diagnosis.failure)},
          {"verdict", record.verdict()},
          {"level", diagnosis.level},
          {"significant", diagnosis.significant()},
          {"findings", findings},
          {"same_as_fitted", same},
          {"untested", untested},
          {"added", added},
          {"evaluations",
           {{"forward", diagnosis.evaluations.forward},
            {"tangent", diagnosis.evaluations.tangent},
            {"adjoint", diagnosis.evaluations.adjoint}}},
          {"seconds", number_or_null(diagnosis.seconds)},
          {"notes", diagnosis.notes}};
}

DiagnosisRecord read_diagnosis_record(const ordered_json& json) {
  DiagnosisRecord record;
  record.name = json.at("name");
  record.run = json.at("run");
  record.fit = json.at("fit");
  optim::Diagnosis& diagnosis = record.diagnosis;
  diagnosis.failure = text_of(json.at("failure"));
  diagnosis.level = json.at("level");
  for (const ordered_json& one : json.at("findings")) diagnosis.findings.push_back(read_finding(one));
  for (const ordered_json& one : json.at("same_as_fitted")) diagnosis.same_as_fitted.push_back(read_candidate(one));
  for (const ordered_json& one : json.at("untested")) record.untested.push_back({one.at("name"), one.at("reason")});
  for (const ordered_json& one : json.at("added"))
    record.added.push_back({one.at("values"), one.at("settings"), one.at("replaces"), one.at("of_system")});
  const ordered_json& counts = json.at("evaluations");
  diagnosis.evaluations = {counts.at("forward"), counts.at("tangent"), counts.at("adjoint")};
  diagnosis.seconds = number_of(json.at("seconds"));
  for (const ordered_json& note : json.at("notes")) diagnosis.notes.push_back(note);
  return record;
}

std::optional<DiagnosisRecord> find_diagnosis(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "diagnosis.json";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return {};
  return read_json_file(file, read_diagnosis_record);
}

}  // namespace pithball::app
