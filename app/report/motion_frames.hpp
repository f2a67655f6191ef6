#pragma once
#include <nlohmann/json.hpp>
#include <vector>

#include "app/report/drawn_states.hpp"

namespace pithball::app {

/// The states of a motion that a report shows, packed.
struct MotionFrames {
  std::vector<std::size_t> shown;    ///< indices of the states, in order
  nlohmann::ordered_json positions;  ///< packed [F, N, 3], m
  nlohmann::ordered_json speed;      ///< packed [F, N], m/s
  double position_error = 0;         ///< largest rounding error of a packed position [m]
};

/// A state that can be drawn, and the ranges of its numbers.
struct DrawableState {
  std::size_t number = 0;  ///< index of the state
  sim::Vec3 lowest,        ///< smallest coordinates [m]
      highest;             ///< largest [m]
  double slowest = 0,      ///< smallest speed [m/s]
      fastest = 0;         ///< largest [m/s]
};

/// The states that can be drawn: those with finite numbers and, for a run that diverged, only as long as the body is
/// within a hundred times its size of its start.
std::vector<DrawableState> drawable_states(const DrawnStates& states, bool diverged);

/// Packs every k-th of the states `usable`, and the last, with the smallest k for which the packed arrays take at most
/// `size` MB (or two frames if no more fit). `usable`: at least one, in order.
MotionFrames pack_frames(const DrawnStates& states, const std::vector<DrawableState>& usable, double size);

}  // namespace pithball::app
