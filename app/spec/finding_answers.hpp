#pragma once
#include <set>
#include <string>
#include <vector>

#include "app/yaml/node.hpp"
#include "optim/observation/observation.hpp"
#include "optim/screening/finding.hpp"
#include "optim/screening/start_findings.hpp"

namespace pithball::app {

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

/// Reads `unwrap`: whether readings are continued from sample to sample by less than half of their period. Throws
/// InvalidArgument for a kind without a period.
bool read_unwrap(Node& recording_node, const optim::MeasurementKind& kind);

/// Continues the first component of each marker by less than half a period from frame to frame.
void unwrap(double period, std::vector<Points>& frames);

/// Reads `filled_samples`: with `mask`, samples that screening takes for filled by interpolation are missing. The
/// markers must be known.
void mask_filled_samples(Node& recording_node, optim::Observation& seen);

}  // namespace pithball::app
