#include "experiments/demonstrations/demonstration.hpp"

#include <algorithm>
#include <cmath>

namespace pithball::experiments {

using namespace app;

std::vector<Claim> triple_pendulum_claims(const DemonstrationRun& run) {
  const auto& energy = run.trajectory.energy;
  double fastest = 0, drift = 0, stretch = 0;
  for (const sim::EnergyRow& row : energy) {
    fastest = std::max(fastest, row.kinetic);
    drift = std::max(drift, std::abs(row.total() - energy.front().total()));
  }
  const sim::Vector rods = run.value("distance_length");
  for (const sim::State& state : run.trajectory.states)
    for (Index k = 0; k < rods.size(); ++k)
      stretch = std::max(stretch, std::abs((state.x.col(k + 1) - state.x.col(k)).norm() - rods[k]));
  return {claim_within("largest change of energy over the largest kinetic", drift / fastest, 0, 0.025, "",
                       "nothing takes energy; xpbd is first order"),
          claim_within("largest change of a rod's length", stretch, 0, 1e-4, "m", "rods")};
}

}  // namespace pithball::experiments
