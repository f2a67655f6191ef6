#include "experiments/captured/trunk_decay/problem.hpp"

#include <algorithm>

#include "experiments/captured/signal.hpp"

namespace pithball::experiments::trunk_decay {
namespace {

optim::Parameter factor(const std::string& value) {
  optim::Parameter p;
  p.value = value;
  p.factor = true;
  return p;
}

}  // namespace

Index small_swing_start(const Release& release) { return release.start; }

Index frames_from(const Release& release, Index first) { return std::min(window_frames, release.frames() - first); }

optim::FitProblem make_problem(const Truss& truss, const Releases& releases, FirstFrame first, double time_step,
                               double weight_growth) {
  optim::FitProblem problem;
  optim::Parameter mass = factor("mass");
  mass.entries.selected = truss.free_vertices();
  for (const Release* r : releases) {
    const Index from = first(*r), frames = frames_from(*r, from);
    problem.scenarios.push_back(truss.scenario(*r, from, frames, time_step));
    problem.observations.push_back(truss.observation(*r, from, frames, problem.scenarios.back(), weight_growth));
    mass.offset.push_back(truss.load_mass(r->load));
  }
  problem.parameters = {factor("stiffness"), factor("damping"), mass};
  if (truss.rubbing > 0) {
    problem.parameters.push_back(factor("dry_friction"));
    problem.parameters.back().entries.selected = truss.free_vertices();
  }
  return problem;
}

optim::FitProblem make_problem_of_both(const Truss& truss, const Releases& releases, double time_step) {
  optim::FitProblem both = make_problem(truss, releases, small_swing_start, time_step, 0);
  const optim::FitProblem large = make_problem(truss, releases, first_opposite_peak, time_step, 0);
  both.scenarios.insert(both.scenarios.end(), large.scenarios.begin(), large.scenarios.end());
  both.observations.insert(both.observations.end(), large.observations.begin(), large.observations.end());
  for (std::size_t p = 0; p < both.parameters.size(); ++p)
    both.parameters[p].offset.insert(both.parameters[p].offset.end(), large.parameters[p].offset.begin(),
                                     large.parameters[p].offset.end());
  for (std::size_t k = 0; k < both.observations.size(); ++k) {
    const Release& r = *releases[k % releases.size()];
    const Index from = (k < releases.size() ? small_swing_start : first_opposite_peak)(r);
    both.observations[k].noise.sigma.setConstant(0.1 * rms(r.tip(from, frames_from(r, from))));
  }
  return both;
}

}  // namespace pithball::experiments::trunk_decay
