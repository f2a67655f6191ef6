#include "experiments/captured/trunk_decay/truss_fit.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "experiments/captured/signal.hpp"
#include "optim/fit.hpp"

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

namespace {

/// Draws releases with replacement, as many of each load as in `from`.
Releases drawn(const Releases& from, std::mt19937& generator) {
  Releases result;
  for (const Index load : {200, 400}) {
    Releases usable;
    std::copy_if(from.begin(), from.end(), std::back_inserter(usable),
                 [&](const Release* r) { return r->load == load; });
    for (std::size_t k = 0; k < usable.size(); ++k) result.push_back(usable[generator() % usable.size()]);
  }
  return result;
}

/// Returns a quantile of numbers by linear interpolation.
double percentile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  const double at = part * (values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - below) * (values[above] - values[below]);
}

}  // namespace

TipSwing predict_tip(const MakeProblem& problem_of, const sim::Vector& theta, const Release& like, Index load) {
  Release release = like;
  release.load = load;
  const optim::FitProblem problem = problem_of({&release});
  const diff::Scenario s = optim::make_parameter_map(problem).scatter(theta, 0);
  const optim::Observation& seen = problem.observations[0];
  const auto every = std::lround(1 / (frame_rate * s.time_step));
  Points tip(3, s.steps / every + 1), start;
  diff::run_forward(s, [&](Index n, const sim::State& state) {
    if (n == 0) start = state.x;
    if (n % every != 0) return;
    Vec3 d = seen.reference.observed.col(2);
    for (const auto& [vertex, weight] : seen.markers[2].vertices)
      d += weight * (state.x.col(vertex) - start.col(vertex));
    tip.col(n / every) = d;
  });
  const DampedSinusoid swing = fit_damped_sinusoid(tip, frame_rate);
  return {swing.frequency, swing.decay};
}

nlohmann::json predict_load(const MakeProblem& problem_of, const Releases& fitted, const sim::Vector& theta, Index load,
                            int repetitions) {
  const TipSwing best = predict_tip(problem_of, theta, *fitted.front(), load);
  nlohmann::json result{{"load_g", load}, {"frequency_hz", best.frequency}, {"decay_per_s", best.decay}};
  std::mt19937 generator(20240229);
  std::vector<double> frequencies, decays;
  for (int k = 0; k < repetitions; ++k) {
    const optim::FitReport report = optim::fit(problem_of(drawn(fitted, generator)));
    if (report.search.status != optim::MinimizerStatus::Converged) continue;
    const TipSwing swing = predict_tip(problem_of, report.theta, *fitted.front(), load);
    frequencies.push_back(swing.frequency);
    decays.push_back(swing.decay);
  }
  result["repetitions"] = frequencies.size();
  if (frequencies.size() < 10) return result;
  result["frequency_interval"] = {percentile(frequencies, 0.025), percentile(frequencies, 0.975)};
  result["decay_interval"] = {percentile(decays, 0.025), percentile(decays, 0.975)};
  return result;
}

}  // namespace pithball::experiments::trunk_decay
