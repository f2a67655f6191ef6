#pragma once
#include "sim/core/types.hpp"

namespace pithball::sim {

/// The part of a simulation that a step changes: time, positions and velocities. Everything else is in `Model`.
struct State {
  double t = 0;  ///< time [s]
  Points x;      ///< positions [m], 3×N
  Points v;      ///< velocities [m/s], 3×N
};

}  // namespace pithball::sim
