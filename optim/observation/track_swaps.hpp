#pragma once
#include <string>
#include <vector>

#include "optim/observation/observation.hpp"

namespace pithball::optim {

/// Markers that seem to exchange their identities between a frame and the one before.
struct TrackSwap {
  std::size_t frame = 0;       ///< the first one after the exchange
  std::vector<Index> markers;  ///< two or more: what was markers[k] is called markers[k + 1], and the last the first
  double jump = 0;             ///< the smallest distance of one of them from its expected place [m]
  double rest = 0;             ///< the largest distance if the names are exchanged back [m]
};

/// Swaps of a recording, in the order of time, found without any model. The expected place of a track is that of the
/// line or parabola through its last two or three frames, whichever is closer to the recording in the median. A swap is
/// where each of the markers jumps by more than 8 times the median distance of its track from its expected places, and
/// each is within 3 times that median of the place where another one is expected. Tracks are followed with the swaps
/// undone, so that a swap and its reversal count as two, and identities that are shuffled in many frames are found.
///
/// Tracks that cross, bounce off each other or scatter are none: as long as no marker jumps they are where they are
/// expected. Swaps within a gap, or of markers that are closer than 8 medians, cannot be seen.
std::vector<TrackSwap> find_track_swaps(const Observation& observation);

/// "markers 'a' and 'b' seem to swap at t = 1.24 s …", and how many follow; empty without swaps.
std::string say_track_swaps(const Observation& observation, const std::vector<TrackSwap>& swaps);

}  // namespace pithball::optim
