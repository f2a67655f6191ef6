#pragma once
#include <cstdint>

#include "datasets/capture/capture.hpp"

namespace pithball::app {

/// What an instrument does to exact samples.
struct Spoiling {
  sim::Points sigma;       ///< standard deviation of each component of each marker, 3×M; normal and independent
  double missing = 0;      ///< probability that a sample is lost, each by itself; 0 <= missing < 1
  sim::Index gap = 0;      ///< every marker is hidden once for so many frames, from a frame of its own
  std::uint64_t seed = 1;  ///< equal seeds spoil equally
};

/// Adds noise and takes samples away; returns how many are gone. What happens to a sample depends on (seed, frame,
/// marker, component) alone.
sim::Index spoil(const Spoiling& spoiling, datasets::Capture& capture);

}  // namespace pithball::app
