#pragma once
#include <span>
#include <string>

#include "sim/core/field_list.hpp"

namespace pithball::optim {

/// Whether the numbers of a run can be used, should be checked first, or cannot be used. Report pages show green, amber
/// and red.
enum class Grade { Good, Doubtful, Bad };

/// "good", "doubtful", "bad": the words in report documents.
std::string to_string(Grade grade);

/// How a run ended.
enum class RunStatus {
  Ok,
  Converged,
  Predicted,
  Passed,
  Complete,
  Doubtful,
  NotUnique,
  CannotBeJudged,
  DoesNotFit,
  MaxIterations,
  Stalled,
  Stopped,
  Failed,
  Diverged,
  NotConverged,
  Interrupted,
  Incomplete,
  ReferenceFailed,
  ReferenceTooCoarse,
  NotSimulated,
  Unknown,  ///< of a file of another version
};

/// All that depends on a status alone.
struct RunStatusInfo {
  RunStatus status;     ///< the status
  const char* word;     ///< in files and output: "does not fit"
  Grade grade;          ///< whether its numbers can be used
  int exit_status;      ///< of the program: 0, or 1: the result failed
  const char* meaning;  ///< a phrase: "the fit converged, but does not fit the recordings"
  /// How the headline of a fit continues after "The fit "; {} is "after 4 iterations". Empty: not a status of a fit.
  const char* of_fit;
};

/// The table of all statuses, in the order of the enumeration.
std::span<const RunStatusInfo> run_statuses();
/// The row of this status in the table.
const RunStatusInfo& info(RunStatus status);
/// The word of a status.
std::string to_string(RunStatus status);
/// The status with this word; Unknown if there is none.
RunStatus find_run_status(const std::string& word);
/// Grade of a status by its word; a word that is not known is bad.
Grade grade_of(const std::string& word);

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
  /// The first phrase of `why`, or empty.
  std::string reason() const;
  /// "why; remedy", or empty.
  std::string explanation() const;
};

/// `status`, `why` and `remedy` of fit.json.
void fields(FieldVisitor& v, RunVerdict& verdict);

}  // namespace pithball::optim
