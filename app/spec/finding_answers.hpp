#pragma once
#include <set>
#include <string>

#include "optim/screening/finding.hpp"
#include "optim/screening/start_findings.hpp"

namespace pithball::app {

class Node;
struct Recording;

/// What the file says to findings about a recording (optim/screening/finding.hpp).
struct FindingAnswers {
  std::set<optim::FindingKind> accepted;  ///< `accept_findings`
  std::set<std::string> keys;             ///< keys that answer a finding by being written: "repeated_samples"

  /// Whether nothing is left to be said: its kind is accepted, or the key that it names is written.
  bool answer(const optim::Finding& finding) const;
};

/// Reads `accept_findings`, and which other keys of the recording answer findings: `missing: none`,
/// `repeated_samples`, `filled_samples`, `unwrap`.
FindingAnswers read_finding_answers(Node& recording_node);

/// Reads `unwrap`: with `true`, readings of a kind with a period are continued from sample to sample by less than half
/// of it. Throws InvalidArgument for other kinds.
void read_unwrap(Node& recording_node, Recording& recording);

/// Reads `filled_samples`: with `mask`, samples that screening takes for filled by interpolation are missing. The
/// markers must be known.
void mask_filled_samples(Node& recording_node, Recording& recording);

/// `scale` as written: one unit of the file in that of the kind; 1 without it.
double read_file_unit(Node& recording_node, const optim::MeasurementKind& kind);

/// How the file reads the recording: axes and entries of its markers as written, and its unit.
optim::RecordingReading read_reading(Node& recording_node, const Recording& recording);

}  // namespace pithball::app
