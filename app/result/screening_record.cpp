#include "app/result/screening_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace pithball::app {

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

void fields(FieldVisitor& v, RecordingFinding& one) {
  optim::Finding& finding = one.finding;
  v.is("Finding", "what screening found in a recording before the search");
  v("recording", one.recording, "as in the experiment file");
  v("kind", as_word(finding.kind, optim::finding_kinds), "what it is");
  v.computed(
      "fault", [&] { return optim::is_fault(finding.kind); },
      "whether it makes the fit doubtful until the file answers it");
  v("answered", one.answered, "whether the file accepts it, or has the key that it names");
  v("marker", or_null(finding.marker), "name of the marker; null: the whole recording");
  v("frames", finding.frames, "numbers of the frames concerned; empty: all");
  v("number", finding.number, "the size that shows it, whose meaning and unit are in the sentence");
  v("sentence", finding.sentence, "what was found, in a sentence");
  v("key", or_null(finding.key), "what answers it in the experiment file; null: nothing is needed");
}

}  // namespace pithball::app
