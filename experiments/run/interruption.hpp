#pragma once

namespace pithball::experiments {

/// While it lives, Ctrl-C and SIGTERM ask the program to stop at the next step instead of ending it; a second signal ends it.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  bool requested() const;

 private:
  void (*old_int_)(int);
  void (*old_term_)(int);
};

}  // namespace pithball::experiments
