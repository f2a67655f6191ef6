#pragma once
#include <string>

namespace pithball::app {

/// Whether the numbers of a run can be used, should be checked first, or cannot be used. Report pages show green, amber
/// and red.
enum class Grade { Good, Doubtful, Bad };

/// "good", "doubtful", "bad": the words in report documents.
std::string to_string(Grade grade);

/// Status of a fit with several equally good estimates.
inline constexpr const char* not_unique = "not unique";

/// Status of a fit without parameters, which only compares its recordings.
inline constexpr const char* predicted = "predicted";

/// Grade of a status as written in summaries: "ok", "converged", "predicted", "passed" and "complete" are good,
/// "doubtful" and "not unique" doubtful.
Grade grade_of(const std::string& status);

/// Verdict on a run after its end. Every check of the complete run (of its energy, of a fit's estimates) can make it
/// doubtful; a run that did not complete has failed, whatever the checks say.
struct RunVerdict {
  std::string status = "ok";  ///< one word: "ok", "doubtful", or how it failed, such as "diverged"
  std::string why;            ///< the reason, with figures; empty if nothing is wrong
  std::string remedy;         ///< what to change; empty likewise

  /// Grade of `status`.
  Grade grade() const { return grade_of(status); }
  /// Makes a good run doubtful, or adds the reason to a doubtful one. A failed run does not change.
  void doubt(const std::string& reason, const std::string& cure);
  /// Makes the run `not_unique`, which is worse than doubtful and better than failed; earlier doubts follow the reason.
  void leave_open(const std::string& reason, const std::string& cure);
  /// Makes a completed run failed with this status; earlier doubts follow the reason.
  void fail(const std::string& failed_as, const std::string& reason, const std::string& cure);
  /// Makes a good run doubtful; whatever the status, this reason comes first.
  void question(const std::string& reason, const std::string& cure);
  /// "why; remedy", or empty.
  std::string explanation() const;
};

}  // namespace pithball::app
