#pragma once
#include <string>

namespace pithball::app {

/// What a reader may do with the numbers of a run: use them, look again first, or not use them. A page shows the three
/// in green, amber and red.
enum class Grade { Good, Doubtful, Bad };

/// "good", "doubtful", "bad": as in the documents of a page.
std::string to_string(Grade grade);

/// The status of a fit that found several estimates as good as each other.
inline constexpr const char* not_unique = "not unique";

/// The status of a fit without parameters, whose recordings are only judged.
inline constexpr const char* predicted = "predicted";

/// The grade of a status as summaries write it: "ok", "converged", "predicted", "passed" and "complete" are good,
/// "doubtful" and "not unique" doubtful.
Grade grade_of(const std::string& status);

/// What a run says of itself when it has ended. Every check of the whole run (of its energy, of a fit's estimates) may
/// raise a doubt; a run that did not come to its end has failed, whatever they say.
struct RunVerdict {
  std::string status = "ok";  ///< one word: "ok", "doubtful", or how it failed, such as "diverged"
  std::string why;            ///< with the figures that tell it; empty where nothing is wrong
  std::string remedy;         ///< what to change; empty likewise

  Grade grade() const { return grade_of(status); }
  /// Makes a good run doubtful, and adds to the reasons of a doubtful one. What a failed one says stays.
  void doubt(const std::string& reason, const std::string& cure);
  /// Makes a run `not_unique`, which is more than a doubt and less than a failure; earlier doubts stay behind the
  /// reason.
  void leave_open(const std::string& reason, const std::string& cure);
  /// Makes a run that came to its end fail with this status; earlier doubts stay behind the reason.
  void fail(const std::string& failed_as, const std::string& reason, const std::string& cure);
  /// "why; remedy", or empty.
  std::string explanation() const;
};

}  // namespace pithball::app
