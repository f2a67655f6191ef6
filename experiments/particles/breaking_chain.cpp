#include "experiments/particles/breaking_chain.hpp"

#include <algorithm>
#include <cmath>

namespace pithball::experiments {
namespace {

/// When a particle first moves along the chain at this speed [s]; the end of the run if never.
double arrival(const std::vector<sim::State>& states, Index particle, double speed) {
  for (std::size_t k = 1; k < states.size(); ++k) {
    const double before = std::abs(states[k - 1].v(0, particle)), now = std::abs(states[k].v(0, particle));
    if (now >= speed) return states[k - 1].t + (states[k].t - states[k - 1].t) * (speed - before) / (now - before);
  }
  return states.back().t;
}

}  // namespace

std::vector<DemonstrationFigure> breaking_chain_figures(const DemonstrationRun& run) {
  const auto& states = run.trajectory.states;
  // Of the experiment file: particles 0 … 200 lie 5 cm apart, number 100 above the post.
  const double threshold = 0.05, near = arrival(states, 140, threshold), far = arrival(states, 180, threshold);
  const double speed = 40 * 0.05 / (far - near), exact = 0.05 * std::sqrt(1 / (6.25e-4 * 0.01));
  double gaps = 0, snap = 0;
  for (Index k = 0; k < 200; ++k) gaps += (states.back().x.col(k + 1) - states.back().x.col(k)).norm() > 0.1;
  for (const sim::State& state : states) snap = std::max(snap, state.v.row(0).cwiseAbs().maxCoeff());
  return {{"speed of the wave of tension", speed, exact, 0.05 * exact, "m/s", "l0 √(1/(α m))"},
          {"whether it broke", std::min(gaps, 1.0), 1, 0.5, "", "at least one link is gone"},
          {"fastest along the chain over the blow", snap / 5, 1, 0.9, "", "ends that snap back"}};
}

}  // namespace pithball::experiments
