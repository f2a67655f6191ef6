#pragma once
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/core/state.hpp"

namespace pithball::experiments {

/// The states of a motion that a report shows, packed.
struct MotionFrames {
  std::vector<std::size_t> shown;    ///< numbers of the states, in order
  nlohmann::ordered_json positions;  ///< packed [F, N, 3], m
  nlohmann::ordered_json speed;      ///< packed [F, N], m/s
  double position_error = 0;         ///< a shown point is at most so far from its state's [m]
};

/// Packs every k-th of the states `usable`, and the last, with the smallest k whose packed arrays take at most `size`
/// MB (or two frames, if more do not fit). `usable`: numbers of states, at least one, in order.
MotionFrames pack_frames(const std::vector<sim::State>& states, const std::vector<std::size_t>& usable, double size);

/// Numbers of the states that can be drawn: those with finite numbers, and of a run that diverged only up to where the
/// body is a hundred times as far from its start as it is large.
std::vector<std::size_t> usable_states(const std::vector<sim::State>& states, bool diverged);

}  // namespace pithball::experiments
