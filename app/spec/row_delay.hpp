#pragma once
#include <optional>

#include "app/spec/recording.hpp"

namespace pithball::app {

/// The delay of the last row that a recording has seen; its count is 0 where readings have no delay.
optim::Delay largest_delay(const optim::Observation& seen);

/// Bounds of the fit parameter `row_time` of a recording [s]; empty: its readings have no delay. An image is read out
/// before the next one, and not before the start of the simulation:
///    −min(Δt, t₁)/rows ≤ row_time ≤ Δt/rows,
/// Δt the shortest time between frames, t₁ the earliest simulated time of the first one, rows the largest recorded row
/// number; wider where its initial value lies outside.
std::optional<Range> row_time_bounds(const Recording& recording);

/// Lengthens a simulation that covers the frames of its recording by the delay of their last row: row_time · rows, the
/// largest within `row_time_bounds` where row_time is fitted.
void cover_row_delay(Recording& recording);

}  // namespace pithball::app
