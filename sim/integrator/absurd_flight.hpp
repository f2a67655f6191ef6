#pragma once

namespace pithball::sim {

/// A particle that crosses this many times the body's extent in one step has left physics behind.
inline constexpr double absurd_flight = 1e6;

}  // namespace pithball::sim
