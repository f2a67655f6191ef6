#include "app/run/spoiled_capture.hpp"

#include <limits>

#include "sim/core/counter_noise.hpp"

namespace pithball::app {
namespace {

/// Streams of random numbers of one seed.
enum Purpose : std::uint64_t { Coordinates, Losses, Gaps };

}  // namespace

sim::Index spoil(const Spoiling& spoiling, datasets::Capture& capture) {
  using sim::Index;
  const sim::CounterNoise coordinates(spoiling.seed, Coordinates), losses(spoiling.seed, Losses),
      gaps(spoiling.seed, Gaps);
  const Index frames = capture.frames(), gap = spoiling.gap;
  Index gone = 0;
  for (std::size_t m = 0; m < capture.markers.size(); ++m) {
    const auto hidden_from = static_cast<Index>(gaps.uniform(0, m) * static_cast<double>(frames - gap + 1));
    for (Index f = 0; f < frames; ++f) {
      auto point = capture.positions[f].col(m);
      for (int a = 0; a < 3; ++a) point[a] += spoiling.sigma(a, static_cast<Index>(m)) * coordinates.normal(f, m, a);
      const bool hidden = f >= hidden_from && f < hidden_from + gap;
      if (!hidden && losses.uniform(f, m) >= spoiling.missing) continue;
      point.setConstant(std::numeric_limits<double>::quiet_NaN());
      capture.present[f][m] = false;
      ++gone;
    }
  }
  return gone;
}

}  // namespace pithball::app
