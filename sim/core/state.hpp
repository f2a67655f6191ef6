#pragma once
#include "sim/core/types.hpp"

namespace pithball::sim {

/// The part of a simulation that a step changes: time, positions and velocities. Everything else is in `Model`.
struct State {
  double t = 0;  ///< time [s]
  Points x;      ///< positions [m], 3×N
  Points v;      ///< velocities [m/s], 3×N
};

/// The positions at the fraction s of the way between two states, on the cubic with their velocities at its ends [m],
/// 3×N.
inline Points on_the_way(const State& a, const State& b, double s) {
  const double h = b.t - a.t;
  const Points chord = b.x - a.x;
  return a.x + s * chord + s * (1 - s) * ((1 - s) * (h * a.v - chord) + s * (chord - h * b.v));
}

}  // namespace pithball::sim
