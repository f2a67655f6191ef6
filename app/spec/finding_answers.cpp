#include "app/spec/finding_answers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/yaml/nearest.hpp"
#include "optim/observation/track_differences.hpp"
#include "optim/screening/sample_findings.hpp"

namespace pithball::app {
namespace {

using optim::FindingKind;

std::set<FindingKind> read_accepted(Node& node) {
  std::vector<std::string> names;
  for (const FindingKind kind : optim::finding_kinds) names.emplace_back(optim::to_string(kind));
  node.document(
      "accept_findings", "list of names", "none",
      fmt::format("kinds of findings about this recording that are meant as they are, so that they make no fit "
                  "doubtful: {}",
                  fmt::join(names, ", ")));
  std::set<FindingKind> accepted;
  if (node.describing() || !node.has("accept_findings")) return accepted;
  for (const std::string& word : node.texts("accept_findings", "")) {
    const auto found = std::ranges::find(names, word);
    if (found == names.end())
      node.reject("accept_findings", fmt::format("must list {}", fmt::join(names, ", ")), "'" + word + "'",
                  suggestion(word, names));
    accepted.insert(optim::finding_kinds[found - names.begin()]);
  }
  return accepted;
}

}  // namespace

bool FindingAnswers::answer(const optim::Finding& finding) const {
  return accepted.contains(finding.kind) || keys.contains(finding.key.substr(0, finding.key.find(':')));
}

FindingAnswers read_finding_answers(Node& node) {
  FindingAnswers answers{read_accepted(node), {}};
  if (node.describing()) return answers;
  for (const char* key : {"repeated_samples", "filled_samples", "unwrap"})
    if (node.is_written(key)) answers.keys.insert(key);
  if (node.is_scalar("missing")) answers.keys.insert("missing");  // none: every number was measured
  return answers;
}

bool read_unwrap(Node& node, const optim::MeasurementKind& kind) {
  const bool wanted =
      node.flag("unwrap",
                "for angles: continue each reading by less than half a turn from the one before; `false`: they turn "
                "as far as they jump",
                false);
  if (!node.describing() && wanted && !(kind.period > 0))
    node.reject("unwrap", "must be omitted for `measurement: " + kind.name + "`", "unwrap",
                "its readings have no period");
  return wanted && !node.describing();
}

void unwrap(double period, std::vector<Points>& frames) {
  for (Index m = 0; m < (frames.empty() ? 0 : frames.front().cols()); ++m) {
    std::vector<double> readings;
    for (const Points& frame : frames) readings.push_back(frame(0, m));
    readings = optim::continued(std::move(readings), period);
    for (std::size_t f = 0; f < frames.size(); ++f) frames[f](0, m) = readings[f];
  }
}

void mask_filled_samples(Node& node, optim::Observation& seen) {
  const std::string wanted = node.choice(
      "filled_samples", {"keep", "mask"},
      "stretches that were filled by interpolation: `keep` them as measurements or `mask` them as missing", "keep");
  if (node.describing() || wanted == "keep") return;
  optim::Observation counted = seen;
  counted.frame_numbers.clear();
  for (const optim::Finding& finding : optim::find_in_samples(counted)) {
    if (finding.kind != FindingKind::Fill) continue;
    const auto marker = std::ranges::find(seen.markers, finding.marker, &optim::Marker::name) - seen.markers.begin();
    for (const Index frame : finding.frames) seen.present[frame][marker] = false;
  }
}

}  // namespace pithball::app
