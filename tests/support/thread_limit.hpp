#pragma once
#include "sim/core/parallel_for.hpp"

namespace pithball::tests {

/// Loops use up to so many threads while this lives.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads) { sim::set_max_threads(threads); }
  ~ThreadLimit() { sim::set_max_threads(before_); }
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int before_ = sim::max_threads();
};

}  // namespace pithball::tests
