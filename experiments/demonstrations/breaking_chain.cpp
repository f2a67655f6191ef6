#include "experiments/demonstrations/demonstration.hpp"

#include <algorithm>
#include <cmath>

namespace pithball::experiments {

using namespace app;

namespace {

/// Returns the time when a particle first reaches this speed along the chain [s]; the end of the run if it never does.
double arrival(const std::vector<sim::State>& states, Index particle, double speed) {
  for (std::size_t k = 1; k < states.size(); ++k) {
    const double before = std::abs(states[k - 1].v(0, particle)), now = std::abs(states[k].v(0, particle));
    if (now >= speed) return states[k - 1].t + (states[k].t - states[k - 1].t) * (speed - before) / (now - before);
  }
  return states.back().t;
}

}  // namespace

std::vector<Claim> breaking_chain_claims(const DemonstrationRun& run) {
  const auto& states = run.trajectory.states;
  const Index links = run.value("distance_length").size();  // between particles 0, 1, …; the middle link above the post
  const double length = run.value("distance_length")[0], compliance = run.value("distance_compliance")[0];
  const double blow = states.front().v.colwise().norm().maxCoeff(), threshold = 0.01 * blow;
  const Index near = 7 * links / 10, far = 9 * links / 10;
  const double taken = arrival(states, far, threshold) - arrival(states, near, threshold);
  const double speed = (far - near) * length / taken;
  const double exact = length * std::sqrt(1 / (compliance * run.model().mass()[0]));
  double gaps = 0, snap = 0;
  for (Index k = 0; k < links; ++k) gaps += (states.back().x.col(k + 1) - states.back().x.col(k)).norm() > 2 * length;
  for (const sim::State& state : states) snap = std::max(snap, state.v.row(0).cwiseAbs().maxCoeff());
  return {claim_within("speed of the wave of tension", speed, exact, 0.05 * exact, "m/s", "l0 √(1/(α m))"),
          claim_within("whether it broke", std::min(gaps, 1.0), 1, 0.5, "", "at least one link is gone"),
          claim_within("fastest along the chain over the blow", snap / blow, 1, 0.9, "", "ends that snap back")};
}

}  // namespace pithball::experiments
