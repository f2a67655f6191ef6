#include "app/run_folder/screening_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/base/json_text.hpp"
#include "app/run_folder/json_reading.hpp"

namespace pithball::app {

using nlohmann::ordered_json;

std::string RecordingFinding::remedy() const {
  const std::string accept = fmt::format("`accept_findings: [{}]`", optim::to_string(finding.kind));
  if (finding.kind == optim::FindingKind::Outlier)
    return fmt::format("write `{}` below `fit`, or {} in recording '{}' if it is meant as it is", finding.key, accept,
                       recording);
  return finding.key.empty() ? fmt::format("write {} in recording '{}' if this is meant", accept, recording)
                             : fmt::format("write `{}` in recording '{}', or {} if it is meant as it is", finding.key,
                                           recording, accept);
}

std::vector<RecordingFinding> open_faults(const std::vector<RecordingFinding>& findings) {
  std::vector<RecordingFinding> open;
  std::ranges::copy_if(findings, std::back_inserter(open), &RecordingFinding::is_open_fault);
  return open;
}

ordered_json findings_json(const std::vector<RecordingFinding>& findings) {
  ordered_json list = ordered_json::array();
  for (const auto& [recording, finding, answered] : findings)
    list.push_back({{"recording", recording},
                    {"kind", optim::to_string(finding.kind)},
                    {"fault", optim::is_fault(finding.kind)},
                    {"answered", answered},
                    {"marker", text_or_null(finding.marker)},
                    {"frames", finding.frames},
                    {"number", number_or_null(finding.number)},
                    {"sentence", finding.sentence},
                    {"key", text_or_null(finding.key)}});
  return list;
}

std::vector<RecordingFinding> read_findings(const ordered_json& json) {
  std::vector<RecordingFinding> findings;
  for (const ordered_json& stored : json) {
    RecordingFinding& one = findings.emplace_back();
    one.recording = stored.at("recording");
    const std::string kind = stored.at("kind");
    for (const optim::FindingKind known : optim::finding_kinds)
      if (kind == optim::to_string(known)) one.finding.kind = known;
    one.answered = stored.at("answered");
    one.finding.marker = text_of(stored.at("marker"));
    one.finding.frames = stored.at("frames").get<std::vector<optim::Index>>();
    one.finding.number = number_of(stored.at("number"));
    one.finding.sentence = stored.at("sentence");
    one.finding.key = text_of(stored.at("key"));
  }
  return findings;
}

}  // namespace pithball::app
