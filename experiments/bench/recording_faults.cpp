#include "experiments/bench/recording_faults.hpp"

#include <algorithm>

#include "sim/core/counter_noise.hpp"

namespace pithball::experiments {
namespace {

using datasets::Capture;
using sim::Index;
using sim::Points;
using sim::Vec3;

/// Streams of random numbers of one seed, besides those of the noise.
enum FaultStream : std::uint64_t { OffsetSize = 211, DriftSize, HeldPlace };

constexpr double offset_size = 2e-3, drift_size = 6e-3, lateness = 2e-3;  // [m], [m], [s]

Vec3 drawn(std::uint64_t seed, FaultStream stream) {
  const sim::CounterNoise noise(seed, stream);
  return {noise.normal(0, 0, 0), noise.normal(0, 0, 1), noise.normal(0, 0, 2)};
}

void shift_all(Capture& seen, std::uint64_t seed) {
  for (Points& x : seen.positions) x.colwise() += offset_size * drawn(seed, OffsetSize);
}

void drift_slowly(Capture& seen, std::uint64_t seed) {
  const double length = seen.time[seen.time.size() - 1] - seen.time[0];
  for (Index f = 0; f < seen.frames(); ++f)
    seen.positions[f].colwise() += drift_size * ((seen.time[f] - seen.time[0]) / length - 0.5) * drawn(seed, DriftSize);
}

/// The mean over five frames; at the ends, over as many as there are.
void average(Capture& seen, std::uint64_t) {
  const std::vector<Points> x = seen.positions;
  const Index frames = seen.frames();
  for (Index f = 0; f < frames; ++f) {
    const Index reach = std::min({Index{2}, f, frames - 1 - f});
    Points sum = Points::Zero(3, x[f].cols());
    for (Index g = f - reach; g <= f + reach; ++g) sum += x[g];
    seen.positions[f] = sum / static_cast<double>(2 * reach + 1);
  }
}

void double_frames(Capture& seen, std::uint64_t) {
  for (Index f = 1; f < seen.frames(); f += 2) seen.positions[f] = seen.positions[f - 1];
}

/// Each marker is lost four times, for two to four frames.
void hold(Capture& seen, std::uint64_t seed) {
  const sim::CounterNoise places(seed, HeldPlace);
  constexpr Index longest = 4, often = 4;
  const Index room = seen.frames() - longest - 2;
  for (Index m = 0; m < seen.positions[0].cols(); ++m)
    for (Index k = 0; k < often; ++k) {
      const auto first = 2 + static_cast<Index>(places.uniform(m, 2 * k) * static_cast<double>(room));
      const Index length = 2 + static_cast<Index>(places.uniform(m, 2 * k + 1) * 3);
      for (Index f = first; f < first + length; ++f) seen.positions[f].col(m) = seen.positions[first - 1].col(m);
    }
}

void delay_clock(Capture& seen, std::uint64_t) { seen.time.array() += lateness; }

}  // namespace

const std::vector<RecordingFault>& recording_faults() {
  static const std::vector<RecordingFault> faults{
      {"offset of 2 mm", shift_all, {"placement_translation", "seems shifted"}},
      {"drift of 6 mm", drift_slowly, {"drift"}},
      {"mean over five frames", average, {"smoothing"}},
      {"every frame twice", double_frames, {"repeat the frame before"}},
      {"held stretches", hold, {"repeat the position before", "repeat the frame before"}},
      {"clock 2 ms late", delay_clock, {"clock_offset"}},
  };
  return faults;
}

}  // namespace pithball::experiments
