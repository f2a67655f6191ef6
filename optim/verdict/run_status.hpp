#pragma once
#include <span>
#include <string>

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
  Grade grade;          ///< what its numbers are good for
  int exit_status;      ///< of the program: 0, or 1: the result failed
  const char* meaning;  ///< a phrase: "the fit converged, but does not fit the recordings"
  /// How the headline of a fit goes on after "The fit "; {} is "after 4 iterations". Empty: not of a fit.
  const char* of_fit;
};

/// The table of all statuses, in the order of the enumeration.
std::span<const RunStatusInfo> run_statuses();
/// Its row of this status.
const RunStatusInfo& info(RunStatus status);
/// The word of a status.
std::string to_string(RunStatus status);
/// The status with this word; Unknown if there is none.
RunStatus find_run_status(const std::string& word);
/// Grade of a status by its word; a word that is not known is bad.
Grade grade_of(const std::string& word);

}  // namespace pithball::optim
