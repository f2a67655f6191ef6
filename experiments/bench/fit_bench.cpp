#include "experiments/bench/fit_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "experiments/bench/gradient_bench.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {
namespace {

/// Normal numbers that are the same with every standard library (Box & Muller 1958).
class NormalNumbers {
 public:
  explicit NormalNumbers(std::uint64_t seed) : random_(seed) {}
  double next() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }
  /// In (0, 1).
  double uniform() { return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53; }

 private:
  std::mt19937_64 random_;
};

/// A superposition of standing waves of 8 to 24 cells in every direction, as velocities of the free vertices [m/s].
/// Springs of every direction are stretched by a few per cent, in their own course of time; what varies from cell to
/// cell would be beyond the scheme.
void pluck(diff::Scenario& scenario, double cell) {
  constexpr int waves = 24;
  NormalNumbers normal(1);
  sim::Points& v = scenario.initial.v;
  for (int wave = 0; wave < waves; ++wave) {
    const double length = cell * (8 + 16 * normal.uniform()), angle = 2 * std::numbers::pi * normal.uniform(),
                 phase = 2 * std::numbers::pi * normal.uniform();
    const sim::Vec3 direction = sim::Vec3(normal.next(), normal.next(), normal.next()).normalized();
    for (Index i = 0; i < v.cols(); ++i) {
      const auto x = scenario.initial.x.col(i);
      const double along = std::cos(angle) * x[0] + std::sin(angle) * x[1];
      v.col(i) += 0.5 * std::sin(2 * std::numbers::pi * along / length + phase) * direction;
    }
  }
  for (const sim::Held& held : scenario.model.topology().held) v.col(held.particle).setZero();
}

/// The springs with an end that moves.
std::vector<Index> moving_springs(const sim::Topology& topology) {
  std::vector<bool> is_held(static_cast<std::size_t>(topology.particles), false);
  for (const sim::Held& held : topology.held) is_held[static_cast<std::size_t>(held.particle)] = true;
  std::vector<Index> moving;
  for (std::size_t k = 0; k < topology.springs.size(); ++k) {
    const auto [i, j] = topology.springs[k];
    if (!is_held[static_cast<std::size_t>(i)] || !is_held[static_cast<std::size_t>(j)])
      moving.push_back(static_cast<Index>(k));
  }
  return moving;
}

/// All vertices at the end of every step of the scenario, from a run by another scheme at an eighth of the step.
optim::Observation observe(diff::Scenario scenario, double noise) {
  constexpr Index finer = 8;
  scenario.integrator = "velocity_verlet";
  scenario.time_step /= finer;
  scenario.steps *= finer;
  optim::Observation seen;
  const Index vertices = scenario.model.particles();
  for (Index i = 0; i < vertices; ++i) seen.markers.push_back({std::to_string(i), {{i, 1.0}}});
  seen.sigma = Vector::Constant(vertices, noise > 0 ? noise : 1e-4);
  NormalNumbers normal(2);
  const diff::RolloutStatus status = diff::run_forward(scenario, [&](Index n, const sim::State& state) {
    if (n == 0 || n % finer != 0) return;
    seen.times.push_back(state.t);
    seen.positions.push_back(state.x);
    if (noise > 0)
      for (double& coordinate : sim::flat(seen.positions.back())) coordinate += noise * normal.next();
  });
  if (!status.ok())
    throw InvalidArgument({"bench fit", "the recording", "must be a run that ends",
                           sim::to_string(status.status) + " at step " + std::to_string(status.step),
                           "choose a smaller simulation.time_step"});
  return seen;
}

double quantile(std::vector<double> values, double share) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace

ExperimentDocument membrane_document(Index vertices) {
  const Index cells = std::max<Index>(2, std::lround(std::sqrt(static_cast<double>(vertices))) - 1);
  const double side = 0.05 * static_cast<double>(cells);
  std::string border;  // of a square, in whatever order its vertices are numbered row by row
  for (Index a = 0; a <= cells; ++a)
    for (Index b = 0; b <= cells; ++b)
      if (a % cells == 0 || b % cells == 0)
        border += (border.empty() ? "" : ", ") + std::to_string(a * (cells + 1) + b);
  return {parse_yaml(fmt::format(R"(
name: bench-fit
system:
  mesh: {{grid: {{size: [{0}, {0}], segments: [{1}, {1}], shear: true, bend: false}}}}
  mass: 0.01
  pinned: [{2}]
  springs: {{stiffness: 10, rest_length: {{scale: 0.8333333333333334}}}}
simulation: {{integrator: imex_midpoint, time_step: 0.004, duration: 0.4}}
)",
                                 side, cells, border),
                     "bench"),
          std::filesystem::current_path()};
}

FitBenchFigures measure_fit(const Experiment& experiment, const FitBenchOptions& options,
                            const optim::MinimizerOptions& minimizer) {
  diff::Scenario start = experiment.scenario;
  start.steps = options.frames;
  const sim::Topology& topology = start.model.topology();
  const sim::Values& values = start.model.values();
  const sim::ValueBlock& stiffness = values.block(values.find("stiffness").value());
  pluck(start, (start.initial.x.col(topology.springs[0].i) - start.initial.x.col(topology.springs[0].j)).norm());
  const std::vector<Index> moving = moving_springs(topology);

  NormalNumbers normal(3);
  Vector physical = start.physical_values(), truth(static_cast<Index>(moving.size()));
  for (std::size_t k = 0; k < moving.size(); ++k) {
    double& value = physical[stiffness.offset + moving[k]];
    value *= std::exp(options.spread * normal.next());
    truth[static_cast<Index>(k)] = value;
  }
  optim::Parameter parameter;
  parameter.value = "stiffness";
  parameter.entries = optim::EntrySharing::None;
  parameter.selected = moving;
  optim::FitProblem problem;
  problem.scenarios = {start};
  problem.observations = {observe(start.with_physical_values(physical), options.noise)};
  problem.parameters = {parameter};
  problem.solver = options.solver;
  problem.minimizer = minimizer;
  problem.adjoint_budget_mb = experiment.memory_budget_mb;

  FitBenchFigures figures;
  figures.parameters = truth.size();
  figures.residuals = 3 * start.model.particles() * options.frames;
  const GradientFigures cost = measure(start, experiment.memory_budget_mb, 2, true);
  figures.forward_seconds = cost.forward.seconds;
  figures.gradient_seconds = cost.recording.seconds + cost.adjoint.seconds;
  figures.report = optim::fit(problem);

  std::vector<double> before, after;
  for (std::size_t k = 0; k < moving.size(); ++k) {
    const optim::FittedParameter& fitted = figures.report.parameters[k];
    before.push_back(std::abs(fitted.initial / truth[static_cast<Index>(k)] - 1));
    after.push_back(std::abs(fitted.estimate / truth[static_cast<Index>(k)] - 1));
  }
  figures.start_median_error = quantile(before, 0.5);
  figures.median_error = quantile(after, 0.5);
  figures.percentile_95_error = quantile(after, 0.95);
  figures.largest_error = quantile(after, 1);
  return figures;
}

}  // namespace pithball::experiments
