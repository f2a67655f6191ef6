#pragma once
#include <string>
#include <vector>

#include "optim/screening/finding.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::app {

/// A finding about a recording of a fit, and whether the file answers it.
struct RecordingFinding {
  std::string recording;   ///< as in the experiment file
  optim::Finding finding;  ///< what was found
  bool answered = false;   ///< the file accepts it, or has the key that it names

  /// Whether it makes the fit doubtful.
  bool is_open_fault() const { return optim::is_fault(finding.kind) && !answered; }
  /// "tracks: frames 20 to 22 of marker 'A' are exactly (0, 0)", without the key.
  std::string sentence() const { return recording + ": " + finding.sentence; }
  /// "write `missing: [0]` in recording 'tracks', or `accept_findings: [placeholder]`".
  std::string remedy() const;
  /// Both, as a note with results.
  std::string note() const { return sentence() + "; " + remedy(); }
};

/// Those that make a fit doubtful, in order.
std::vector<RecordingFinding> open_faults(const std::vector<RecordingFinding>& findings);

/// An entry of `findings` in fit.json.
void fields(FieldVisitor& v, RecordingFinding& one);

}  // namespace pithball::app
