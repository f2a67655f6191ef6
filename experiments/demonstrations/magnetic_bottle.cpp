#include <algorithm>
#include <cmath>

#include "experiments/demonstrations/demonstration.hpp"

namespace pithball::experiments {

using namespace app;

std::vector<Claim> magnetic_bottle_claims(const DemonstrationRun& run) {
  const auto& states = run.trajectory.states;
  const sim::State& start = states.front();
  constexpr double length = 1;  // L of the experiment file
  double change = 0, lag = 0;
  for (Index i = 0; i < start.x.cols(); ++i) {
    const double speed = start.v.col(i).norm(), across = start.v.col(i).head<2>().norm();
    const double turn = length * start.v(2, i) / across, rate = across / length;
    for (const sim::State& state : states) {
      change = std::max(change, std::abs(state.v.col(i).norm() / speed - 1));
      const double exact = turn * std::sin(rate * (state.t - start.t));
      lag = std::max(lag, std::abs(state.x(2, i) - exact) / turn);
    }
  }
  // The ratio of the kinetic energy perpendicular to the field to B is an adiabatic invariant, so that z oscillates
  // harmonically. Particles have gyroradii of 1 cm: each starts off the axis, at up to this distance from its guiding
  // center.
  return {claim_within("largest change of a speed", change, 0, 1e-11, "", "no work; rounding of 6,000 steps"),
          claim_within("largest deviation along the axis, over the turning point", lag, 0, 0.05, "",
                       "z = L cot α sin(v t sin α/L)")};
}

}  // namespace pithball::experiments
