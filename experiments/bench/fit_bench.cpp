#include "experiments/bench/fit_bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "experiments/bench/fit_data.hpp"
#include "optim/fit.hpp"
#include "sim/core/counter_noise.hpp"

namespace pithball::experiments {
namespace {

template <class Work>
double seconds_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Returns a direction along which each block of values changes the loss by the same amount, so that none masks
/// another.
diff::Vector through_all_blocks(const diff::Scenario& scenario, const diff::Vector& gradient) {
  diff::Vector direction = diff::Vector::Zero(gradient.size());
  const auto add = [&](Index offset, Index size) {
    const double square = gradient.segment(offset, size).squaredNorm();
    if (square > 0) direction.segment(offset, size) = gradient.segment(offset, size) / square;
  };
  for (const auto& block : scenario.model.values().blocks()) add(block.offset, block.size);
  add(scenario.position_offset(), 3 * scenario.model.particles());
  add(scenario.velocity_offset(), 3 * scenario.model.particles());
  return direction;
}

/// Returns the relative difference of adjoint and tangent for the loss ½ Σ |x|² at the last step; NaN without a
/// tangent.
double disagreement_of(const diff::Scenario& scenario, diff::AdjointRollout& rollout, const diff::Vector& gradient) {
  const diff::Vector direction = through_all_blocks(scenario, gradient);
  double tangent = std::numeric_limits<double>::quiet_NaN();
  rollout.tangent(direction, [&](Index n, const diff::State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd&) {
    if (n == scenario.steps) tangent = state.x.reshaped().dot(dx.col(0));
  });
  const double adjoint = gradient.dot(direction);
  return std::abs(adjoint - tangent) / std::abs(adjoint);
}

}  // namespace

GradientFigures measure(const diff::Scenario& scenario, double budget_mb, int repeats, bool gradient,
                        const std::function<void(double)>& progress) {
  GradientFigures figures;
  figures.parameters = scenario.size();
  const auto ignore = [](Index, const diff::State&) {};
  double passes = 0;
  const auto pass_done = [&, all = 1.0 + repeats * (gradient ? 3 : 1)] {
    if (progress) progress(++passes / all);
  };
  if (progress) progress(0);
  figures.status = diff::run_forward(scenario, ignore).status;  // warm-up
  figures.steps = scenario.steps;
  if (figures.status != sim::StepStatus::Ok) return figures;
  pass_done();
  const double never = std::numeric_limits<double>::infinity();
  figures.forward.seconds = figures.recording.seconds = figures.adjoint.seconds = never;
  for (int k = 0; k < repeats; ++k) {
    diff::RolloutCost cost;
    figures.forward.seconds =
        std::min(figures.forward.seconds, seconds_of([&] { diff::run_forward(scenario, ignore, &cost); }));
    figures.forward.cost = cost;
    pass_done();
    if (!gradient) continue;
    diff::AdjointRollout rollout(scenario, budget_mb);
    figures.recording.seconds =
        std::min(figures.recording.seconds, seconds_of([&] { figures.status = rollout.forward(ignore).status; }));
    figures.recording.cost = rollout.forward_cost();
    pass_done();
    if (figures.status != sim::StepStatus::Ok) return figures;
    const auto seed = [&](Index n, const diff::State& state, diff::Points& gx, diff::Points&) {
      if (n == scenario.steps) gx += state.x;
    };
    diff::Vector found;
    figures.adjoint.seconds = std::min(figures.adjoint.seconds, seconds_of([&] { found = rollout.backward(seed); }));
    figures.adjoint.cost = rollout.backward_cost();
    pass_done();
    if (k + 1 == repeats) figures.disagreement = disagreement_of(scenario, rollout, found);
  }
  return figures;
}

using namespace app;

namespace {

/// The stream of random numbers for the true values.
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
