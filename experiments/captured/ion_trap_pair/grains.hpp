#pragma once
#include <array>
#include <string>
#include <vector>

#include "sim/core/types.hpp"
#include "sim/field/cubic_spline.hpp"

namespace pithball::experiments::ion_trap_pair {

using sim::Index;
using sim::Vector;

inline constexpr double frame_time = 0.05;        ///< [s]
inline constexpr double pixel = 0.07545e-3;       ///< [m]
inline constexpr Index frames_before_switch = 5;  ///< frames 100 … 104; the electrodes are switched at frame 105

/// Two grains on the axis of the trap, the first on the right, and the potential there before and after the switch.
struct Grains {
  std::array<Vector, 2> position;          ///< of each grain in each frame [m], right and left
  std::array<Vector, 2> nodes, potential;  ///< of the tables before and after the switch: position [m], φ [V]

  Index frames() const { return position[0].size(); }
  double switched() const { return frame_time * frames_before_switch; }  ///< [s] after frame 100
  /// Mean position before the switch, and the standard error of it [m].
  struct Rest {
    double position, error;
  };
  Rest rest(std::size_t grain) const;
  /// The potential before (0) or after (1) the switch as a smooth spline with nodes about `spacing` [m] apart: the
  /// table comes from finite elements, and a curve through all its values has slopes that scatter by 10 %.
  sim::CubicSpline smooth_potential(std::size_t table, double spacing) const;
};

/// Reads the set from its folder.
Grains read_grains(const std::string& folder);

/// Charges [C] of the right and the left grain that hold each other at rest in the potential φ at x_r > x_l: with r =
/// x_r − x_l the force on the right grain, −q_r φ′(x_r) + k_c q_r q_l/r², vanishes for q_l = φ′(x_r) r²/k_c, whatever
/// q_r; and that on the left one for q_r = −φ′(x_l) r²/k_c. Each grain weighs the other.
std::array<double, 2> balancing_charges(const sim::CubicSpline& potential, double right, double left);

}  // namespace pithball::experiments::ion_trap_pair
