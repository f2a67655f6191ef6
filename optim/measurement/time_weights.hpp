#pragma once
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Index;

/// The aspect of a point's motion that an instrument measures.
enum class Motion {
  Position,      ///< x(t) [m]
  Displacement,  ///< x(t) − x(0) [m]
  Velocity,      ///< v(t) [m/s]
  Acceleration,  ///< dv/dt [m/s²]
};

/// Weight of the state at one step in an interpolated motion: position · x_n + velocity · v_n; the rates are the time
/// derivatives of both [1/s].
struct StepWeight {
  Index step = 0;            ///< n, 0 … steps
  double position = 0,       ///< pure number
      velocity = 0;          ///< [s]
  double position_rate = 0,  ///< [1/s]
      velocity_rate = 0;     ///< pure number
  /// Whether all entries are equal, without a tolerance.
  bool operator==(const StepWeight&) const = default;
};

/// A time in a run of `steps` steps of length `time_step`.
struct RunTime {
  double step = 0;       ///< time in steps, 0 … steps
  Index steps = 0;       ///< number of steps in the run
  double time_step = 0;  ///< [s]
};

/// The weights of the states around a time. Positions are the cubic Hermite polynomial of the neighboring states: with
/// s = (t − t_n)/h in [0, 1],
///    x(t) = (1+2s)(1−s)² x_n + s(1−s)² h v_n + s²(3−2s) x_{n+1} − s²(1−s) h v_{n+1},
/// exact for cubic motion, with an error of at most h⁴/384 max|x⁗|. Errors e_v of the velocities contribute at most h
/// e_v/4, so that positions keep the order of every integrator whose velocities lose at most one order. Velocities are
/// the cubic polynomial through those of the four nearest steps (fewer in a shorter run), accelerations its derivative:
/// neither uses positions, which first-order integrators compute for other times than the velocities.
std::vector<StepWeight> find_step_weights(Motion motion, const RunTime& time);

}  // namespace pithball::optim
