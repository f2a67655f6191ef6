#pragma once
#include <string>

#include "optim/verdict/run_status.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::optim {

/// Verdict on a run after its end. Every check of the complete run (of its energy, of a fit's estimates) can make it
/// doubtful; a run that did not complete has failed, whatever the checks say.
struct RunVerdict {
  RunStatus status = RunStatus::Ok;  ///< how it ended
  std::string why;                   ///< the reason, with figures; empty if nothing is wrong
  std::string remedy;                ///< what to change; empty likewise

  /// Grade of `status`.
  Grade grade() const { return info(status).grade; }
  /// Makes a good run doubtful, or adds the reason to a doubtful one. A failed run does not change.
  void doubt(const std::string& reason, const std::string& cure);
  /// Makes the run NotUnique, which is worse than doubtful and better than failed; earlier doubts follow the reason.
  void leave_open(const std::string& reason, const std::string& cure);
  /// Makes a completed run failed with this status; earlier doubts follow the reason.
  void fail(RunStatus failed_as, const std::string& reason, const std::string& cure);
  /// Makes a good run doubtful; whatever the status, this reason comes first.
  void question(const std::string& reason, const std::string& cure);
  /// "why; remedy", or empty.
  std::string explanation() const;
};

/// `status`, `why` and `remedy` of fit.json.
void fields(FieldVisitor& v, RunVerdict& verdict);

}  // namespace pithball::optim
