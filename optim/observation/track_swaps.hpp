#pragma once
#include <string>
#include <vector>

#include "optim/observation/observation.hpp"

namespace pithball::optim {

/// A suspected swap: markers whose identities were exchanged between two frames.
struct TrackSwap {
  std::size_t frame = 0;  ///< the first one after the exchange
  std::vector<Index>
      markers;      ///< two or more: the former markers[k] is now called markers[k + 1], and the last one the first
  double jump = 0;  ///< smallest distance of one of them from its expected position, in the unit of the kind
  double rest = 0;  ///< largest distance after undoing the exchange, likewise
};

/// Swaps of a recording in time order, found without a model. The expected position of a track is the extrapolated line
/// or parabola through its last two or three frames, whichever is closer in the median. A swap is a set of markers that
/// all jump by more than 8 times the median distance of their track from its expected positions, each to within 3 times
/// that median of the expected position of another one. Swaps are undone while tracks are followed, so that a swap and
/// its reversal count as two, and identities shuffled in many frames are found.
///
/// Tracks that cross, bounce off each other or scatter are not swaps: no marker jumps away from its expected position.
/// Swaps within a gap, or of markers closer than 8 medians, are not detected.
std::vector<TrackSwap> find_track_swaps(const Observation& observation);

/// "markers 'a' and 'b' seem to swap at t = 1.24 s …", and the number of further swaps; empty without swaps.
std::string say_track_swaps(const Observation& observation, const std::vector<TrackSwap>& swaps);

}  // namespace pithball::optim
