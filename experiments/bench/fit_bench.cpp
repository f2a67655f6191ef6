#include "experiments/bench/fit_bench.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/bench/fine_recording.hpp"
#include "experiments/bench/gradient_bench.hpp"
#include "experiments/bench/membrane.hpp"
#include "optim/fit.hpp"
#include "sim/core/counter_noise.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

/// The stream of random numbers behind the true values.
constexpr std::uint64_t true_stiffness_stream = 201;

double quantile(std::vector<double> values, double share) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace

FitBenchFigures measure_fit(const Experiment& experiment, const FitBenchOptions& options,
                            const optim::MinimizerOptions& minimizer, const optim::MinimizerWatch& watch) {
  diff::Scenario start = experiment.scenario;
  start.steps = options.frames;
  const sim::Topology& topology = start.model.topology();
  const sim::Values& values = start.model.values();
  const sim::ValueBlock& stiffness = values.block(values.find("stiffness").value());
  pluck(start);
  const std::vector<Index> moving = moving_springs(topology);

  const sim::CounterNoise random(1, true_stiffness_stream);
  Vector physical = start.physical_values(), true_stiffness(static_cast<Index>(moving.size()));
  for (std::size_t k = 0; k < moving.size(); ++k) {
    double& value = physical[stiffness.offset + moving[k]];
    value *= std::exp(options.spread * random.normal(0, k, 0));
    true_stiffness[k] = value;
  }
  optim::Parameter parameter;
  parameter.value = "stiffness";
  parameter.entries.sharing = optim::EntrySharing::None;
  parameter.entries.selected = moving;
  optim::FitProblem problem;
  problem.scenarios = {start};
  Experiment truth = experiment;
  truth.scenario = start.with_physical_values(physical);
  problem.observations = {record_finely(truth, 8,
                                        {.particles = {}, .rate = 1 / start.time_step, .noise = options.noise},
                                        options.noise > 0 ? options.noise : 1e-4, "bench fit")};
  problem.parameters = {parameter};
  problem.search.solver = options.solver;
  problem.search.minimizer = minimizer;
  problem.adjoint_budget_mb = experiment.memory_budget_mb;

  FitBenchFigures figures;
  figures.parameters = true_stiffness.size();
  figures.residuals = 3 * start.model.particles() * (options.frames + 1);
  const GradientFigures cost = measure(start, experiment.memory_budget_mb, 2, true);
  figures.forward_seconds = cost.forward.seconds;
  figures.gradient_seconds = cost.recording.seconds + cost.adjoint.seconds;
  figures.report = optim::fit(problem, {watch});

  std::vector<double> before, after;
  for (std::size_t k = 0; k < moving.size(); ++k) {
    const optim::FittedParameter& fitted = figures.report.estimates.parameters[k];
    before.push_back(std::abs(fitted.initial / true_stiffness[k] - 1));
    after.push_back(std::abs(fitted.estimate / true_stiffness[k] - 1));
  }
  figures.start_median_error = quantile(before, 0.5);
  figures.median_error = quantile(after, 0.5);
  figures.percentile_95_error = quantile(after, 0.95);
  figures.largest_error = quantile(after, 1);
  return figures;
}

}  // namespace pithball::experiments
