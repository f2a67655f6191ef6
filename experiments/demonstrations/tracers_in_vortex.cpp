#include "experiments/demonstrations/demonstration.hpp"

#include <algorithm>
#include <cmath>

namespace pithball::experiments {

using namespace app;

std::vector<Claim> tracers_in_vortex_claims(const DemonstrationRun& run) {
  const auto& states = run.trajectory.states;
  const sim::State &start = states.front(), &end = states.back();
  double drift = 0, lag = 0;
  for (Index i = 0; i < start.x.cols(); ++i) {
    const sim::Vec3 from = start.x.col(i), to = end.x.col(i);
    const double r = from.norm(), rate = 2 / (r * r) * (1 - std::exp(-r * r / 0.25));  // from the experiment file
    const double angle = rate * (end.t - start.t);
    const sim::Vec3 exact(std::cos(angle) * from[0] - std::sin(angle) * from[1],
                          std::sin(angle) * from[0] + std::cos(angle) * from[1], from[2]);
    drift = std::max(drift, std::abs(to.norm() - r));
    lag = std::max(lag, (to - exact).norm());
  }
  // The fastest tracer turns by 80 rad in 10 s; rk4 has an error of (ωh)⁵/120 per step, with ωh = 0.08.
  return {claim_within("largest change of distance from the axis", drift, 0, 1e-4, "m", "streamlines are circles"),
          claim_within("largest distance from the exact place", lag, 0, 1e-3, "m", "angle ω(r) t")};
}

}  // namespace pithball::experiments
