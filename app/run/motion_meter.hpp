#pragma once
#include <string>
#include <vector>

#include "sim/core/state.hpp"

namespace pithball::app {

/// Watches the kept states of a run for motions that no body makes, each of which mostly comes from a wrong unit.
class MotionMeter {
 public:
  /// Takes the next kept state, the first being the start.
  void add(const sim::State& state);
  /// What is absurd, one sentence each: a speed above that of light, since mechanics here is Newton's, and positions
  /// that have grown 1e20-fold, beyond what doubles resolve of the start.
  std::vector<std::string> notes() const;

 private:
  double start_ = -1, farthest_ = 0, fastest_ = 0;  // |x| at the start and at most [m]; |v| at most [m/s]
  double time_ = 0;                                 // of the fastest [s]
};

}  // namespace pithball::app
