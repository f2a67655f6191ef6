#pragma once
#include <atomic>

#include "sim/core/stop.hpp"

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
  /// The signal that came first; 0: none yet.
  static int signal();
  /// Requests what the signal does: for a program that ends while its threads compute.
  static void request();

 private:
  const char* old_message_;
};

/// From here on SIGTERM outside an Interruption ends the program with a line on standard error.
void announce_termination();

/// Calls `work`, which an Interruption ends within a step, a solve or a pass; returns whether it ran to its end.
template <class Work>
bool end_unless_interrupted(const Work& work) {
  const sim::Stoppable stoppable(&Interruption::flag());
  try {
    work();
  } catch (const sim::Stopped&) {
    return false;
  }
  return true;
}

/// Throws std::runtime_error once an Interruption has been requested to stop; for work that is useless unless it is
/// complete.
void require_no_interruption();

}  // namespace pithball::app
