#include "app/spec/finding_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/spec/measurement_spec.hpp"
#include "app/spec/recording.hpp"
#include "app/yaml/nearest.hpp"
#include "datasets/capture/capture_reader.hpp"
#include "datasets/capture/frame_tools.hpp"
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

/// The entry of each marker as it is written; empty where it is a mapping.
std::vector<std::string> marker_entries(const Node& node, const Recording& recording) {
  std::vector<std::string> entries(recording.observation.markers.size());
  if (!follows_markers(*recording.kind)) return entries;
  const Tree* list = node.form_tree("markers");
  for (std::size_t m = 0; m < entries.size(); ++m) {
    if (!list)
      entries[m] = std::to_string(m);
    else if (m < list->entries.size() && list->entries[m].kind == Tree::Kind::Scalar)
      entries[m] = list->entries[m].text;
  }
  return entries;
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

void read_unwrap(Node& node, Recording& recording) {
  const bool wanted =
      node.flag("unwrap",
                "for angles: continue each reading by less than half a turn from the one before; `false`: they turn "
                "as far as they jump",
                false);
  if (node.describing()) return;
  const double period = recording.kind->period;
  if (wanted && !(period > 0))
    node.reject("unwrap", "must be omitted for `measurement: " + recording.kind->name + "`", "unwrap",
                "its readings have no period");
  if (!wanted) return;
  std::vector<Points>& frames = recording.observation.positions;
  for (Index m = 0; m < static_cast<Index>(recording.capture.markers.size()); ++m) {
    std::vector<double> readings;
    for (const Points& frame : frames) readings.push_back(frame(0, m));
    readings = optim::continued(std::move(readings), period);
    for (std::size_t f = 0; f < frames.size(); ++f) frames[f](0, m) = readings[f];
  }
}

void mask_filled_samples(Node& node, Recording& recording) {
  const std::string wanted = node.choice(
      "filled_samples", {"keep", "mask"},
      "stretches that were filled by interpolation: `keep` them as measurements or `mask` them as missing", "keep");
  if (node.describing() || wanted == "keep") return;
  optim::Observation& seen = recording.observation;
  optim::Observation counted = seen;
  counted.frame_numbers.clear();
  for (const optim::Finding& finding : optim::find_in_samples(counted)) {
    if (finding.kind != FindingKind::Fill) continue;
    const auto marker = std::ranges::find(seen.markers, finding.marker, &optim::Marker::name) - seen.markers.begin();
    for (const Index frame : finding.frames) seen.present[frame][marker] = false;
  }
}

double read_file_unit(Node& node, const optim::MeasurementKind& kind) {
  if (node.describing() || !node.is_written("scale")) return 1;
  return node.number("scale", kind.unit, "", {}, sim::ValueSign::Positive);
}

optim::RecordingReading read_reading(Node& node, const Recording& recording) {
  optim::RecordingReading reading;
  if (node.describing()) return reading;
  reading.scale = std::abs(recording.capture.file_scale[0]);
  if (recording.kind->components.size() == 3) {
    if (node.is_written("axes")) {
      const std::vector<std::string> axes = node.texts("axes", "");
      std::ranges::copy(axes, reading.axes.begin());
    } else if (node.is_written("up")) {
      reading.axes = datasets::axes_with_up(node.text("up", ""));
    }
  }
  const bool attaches = std::ranges::any_of(recording.wanted_attachments, [](const auto& one) { return bool(one); });
  if (!attaches) reading.entries = marker_entries(node, recording);
  if (!follows_markers(*recording.kind))
    reading.entries_key = recording.kind == &optim::distance_kind() ? "between" : "segments";
  const FreeRecordingFrame& frame = recording.free_recording_frame;
  reading.placement_is_free = frame.rotation || frame.translation || frame.to_register;
  return reading;
}

}  // namespace pithball::app
