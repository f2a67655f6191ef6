#pragma once
#include <sched.h>

namespace pithball::experiments {

/// From its construction on, this thread and the programs that it starts run on one processor, and our own loops on one
/// thread; its end lifts this.
class OneProcessor {
 public:
  /// On the processor on which the thread runs now.
  OneProcessor();
  ~OneProcessor();
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  cpu_set_t earlier_;
  int threads_;
};

}  // namespace pithball::experiments
