#pragma once
#include <array>
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::experiments::trunk_decay {

using sim::Index;
using sim::Points;
using sim::Vec3;

inline constexpr double frame_rate = 100;    ///< [1/s], nominal
inline constexpr Index window_frames = 100;  ///< length of the small-swing part
inline constexpr double small_swing =
    4e-3;  ///< [m]: the part begins after the tip was last farther than this from rest

/// One release of the trunk: displacements of the three discs from their own rest, which is the mean of the last 30
/// frames.
struct Release {
  Index load = 0;                    ///< [g]
  Index id = 0;                      ///< segment number in the file
  std::vector<Points> displacement;  ///< 3×3 for each frame [m]; column b is body b, 2 the tip
  Index start = 0;                   ///< first frame of the small-swing part
  double frequency = 0,
         decay = 0;      ///< [Hz], [1/s] of the damped sinusoid fitted to the tip there; 0 if the part is too short
  std::string left_out;  ///< why the release is not used; empty: it is used
  std::string label() const { return std::to_string(load) + " g #" + std::to_string(id); }

  /// The tip's path over a window of frames, as columns.
  Points tip(Index first, Index frames) const;
  Index frames() const { return displacement.size(); }
};

/// Reads all releases of one load from the data set's folder and applies the stated rule (see `screen`).
std::vector<Release> read_releases(const std::string& folder, Index load);

/// Leaves out releases that were disturbed, by the data alone: the small-swing part must have 100 frames, and the
/// damped sinusoid fitted to it must lie within 8 % in frequency and 50 % in decay of the median over the load's
/// releases.
void screen(std::vector<Release>& releases);

/// Displacement and velocity of the three bodies at a frame: a parabola by least squares over seven frames around it.
struct StartState {
  Points displacement, velocity;  ///< 3×3 each [m], [m/s]
};
StartState start_state(const Release& release, Index frame);

/// The frame of the first opposite peak after the release: with n the direction of the largest tip displacement, the
/// first crossing of d·n through zero, then the minimum of d·n before the next crossing.
Index first_opposite_peak(const Release& release);

}  // namespace pithball::experiments::trunk_decay
