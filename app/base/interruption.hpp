#pragma once
#include <atomic>

namespace pithball::app {

/// While this object exists, Ctrl-C and SIGTERM request a stop at the next step instead of ending the program; a second
/// signal, at least half a second later, ends it. The first signal prints a line on standard error at once. Several may
/// exist at once, in several threads: the request is one for all, and ends with the last of them.
class Interruption {
 public:
  /// The line for work that can be resumed.
  static constexpr const char* work_is_kept =
      "Stopping after the current step; what is done is kept. A second Ctrl-C ends the program at once.\n";
  /// The line for work that is useless unless it is complete.
  static constexpr const char* unfinished_is_removed =
      "Stopping; unfinished files are removed. A second Ctrl-C ends the program at once.\n";

  /// `message`: the line; must stay valid until the program ends.
  explicit Interruption(const char* message = work_is_kept);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  /// Whether the first signal has come.
  bool requested() const { return flag(); }
  /// True after the signal.
  static const std::atomic<bool>& flag();

 private:
  const char* old_message_;
};

/// From here on SIGTERM outside an Interruption ends the program with a line on standard error.
void announce_termination();

/// Throws std::runtime_error once an Interruption has been requested to stop; for work that is useless unless it is
/// complete.
void require_no_interruption();

}  // namespace pithball::app
