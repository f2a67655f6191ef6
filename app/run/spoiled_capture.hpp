#pragma once
#include <cstdint>

#include "datasets/capture/capture.hpp"

namespace pithball::app {

/// Imperfections that an instrument adds to exact samples.
struct Spoiling {
  sim::Points sigma;       ///< standard deviation of each component of each marker, 3×M; normal and independent
  double missing = 0;      ///< probability that a sample is missing, independently; 0 <= missing < 1
  sim::Index gap = 0;      ///< every marker has one gap of this many frames, at a random frame
  std::uint64_t seed = 1;  ///< same seed, same noise and gaps
};

/// Adds noise and removes samples; returns the number of removed samples. The effect on a sample depends only on (seed,
/// frame, marker, component).
sim::Index spoil(const Spoiling& spoiling, datasets::Capture& capture);

}  // namespace pithball::app
