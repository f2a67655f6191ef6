#pragma once
#include <atomic>

namespace pithball::app {

/// While it lives, Ctrl-C and SIGTERM ask the program to stop at the next step instead of ending it; a second signal
/// ends it.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  bool requested() const { return flag(); }
  /// True from the signal on.
  static const std::atomic<bool>& flag();

 private:
  void (*old_int_)(int);
  void (*old_term_)(int);
};

/// Throws std::runtime_error once an Interruption was asked to stop; for work that is of no use unless it is complete.
void require_no_interruption();

}  // namespace pithball::app
