#include "experiments/bench/net_bench.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "app/experiment/experiment.hpp"
#include "experiments/bench/fit_data.hpp"
#include "experiments/bench/stopwatch.hpp"
#include "optim/fit.hpp"
#include "optim/fit/identify.hpp"
#include "optim/fit/problem.hpp"
#include "sim/core/counter_noise.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

/// Streams of random numbers.
enum NetPurpose : std::uint64_t { NetStiffnesses = 201, NetNoise };

constexpr double net_median = 10, net_guess = 15, net_scatter = 0.3;  // [N/m], [N/m], of ln k

/// Cells along and down the net: 55 to 181 springs.
constexpr std::array<std::pair<int, int>, 9> net_cells{
    {{4, 3}, {4, 4}, {5, 4}, {6, 4}, {5, 5}, {6, 5}, {7, 5}, {6, 6}, {7, 6}}};

Experiment make_net(int number) {
  const auto [along, down] = net_cells[number % net_cells.size()];
  return read_experiment({parse_yaml(fmt::format(R"(
name: net
system:
  mesh:
    grid: {{size: [0.5, 0.5], segments: [{}, {}], bend: false}}
    rotate: {{axis: [1, 0, 0], angle: 90 degrees}}
  mass: {{total: 72 g}}
  charge: 0
  pinned: [top]
  springs: {{stiffness: {}, damping: 0.2}}
forces:
  - gravity: [0.0, 3.0, -9.81]
simulation: {{integrator: imex_midpoint, time_step: 2 ms, duration: 1 s}}
)",
                                                 along, down, net_guess),
                                     "bench nets"),
                          std::filesystem::current_path()});
}

/// Returns the values of the model with the true stiffnesses.
Vector scattered_values(const Experiment& net, const NetBenchOptions& options, int number) {
  const sim::Values& layout = net.scenario.model.values();
  Vector values = layout.data();
  const sim::ValueBlock& block = layout.block(*layout.find("stiffness"));
  const sim::CounterNoise noise(options.seed, NetStiffnesses);
  for (Index k = 0; k < block.size; ++k)
    values[block.offset + k] = net_median * std::exp(net_scatter * noise.normal(number, k, 0));
  return values;
}

optim::FitProblem net_problem(const Experiment& net, const Vector& truth, const NetBenchOptions& options, int number) {
  Experiment recorded = net;
  recorded.scenario.model = net.scenario.model.with_values(truth);
  optim::Observation seen =
      record_finely(std::move(recorded), 10, {.particles = {}, .rate = 50}, options.noise, "bench nets");
  const sim::CounterNoise noise(options.seed + 1000 * (number + 1), NetNoise);
  for (std::size_t f = 0; f < seen.times.size(); ++f)
    for (Index m = 0; m < seen.positions[f].cols(); ++m)
      for (int a = 0; a < 3; ++a) seen.positions[f](a, m) += options.noise * noise.normal(f, m, a);
  optim::Parameter each;
  each.value = "stiffness";
  each.entries.sharing = optim::EntrySharing::None;
  optim::FitProblem problem;
  problem.scenarios = {net.scenario};
  problem.observations = {std::move(seen)};
  problem.parameters = {std::move(each)};
  problem.search.solver = options.solver;
  problem.search.choose_stages = problem.search.further_starts = true;
  return problem;
}

/// Returns |r|² at θ.
double net_square(const optim::ResolvedFit& fit, const Vector& theta) {
  Vector r;
  return fit.residual().all().evaluate(theta, r, nullptr).ok() ? r.squaredNorm() : NAN;
}

/// Returns the processor time of a Jacobian, in units of that of a forward run.
double runs_of_jacobian(const optim::ResolvedFit& fit) {
  const Vector theta = fit.map().initial();
  Vector r;
  Eigen::MatrixXd J;
  const std::vector<double> seconds =
      interleaved_seconds({[&] { (void)fit.residual().all().evaluate(theta, r, nullptr); },
                           [&] { (void)fit.residual().all().evaluate(theta, r, &J); }},
                          3, Counted::LeastProcessorTime);
  return seconds[1] / seconds[0];
}

/// Counts the intervals of determined parameters, and those of these intervals that contain the true value.
void count_intervals(const optim::ResolvedFit& fit, const Vector& truth, const optim::FitReport& report,
                     NetFigures& figures) {
  const optim::IdentifyReport expected = optim::identify(fit, truth);
  for (Index k = 0; expected.ok() && k < fit.map().size(); ++k) {
    const optim::FittedParameter& p = report.estimates.parameters[k];
    const double exact = fit.map().info()[k].transform.value(truth[k]);
    if (expected.parameters[k].determination != optim::Determination::Determined) continue;
    ++figures.determined;
    figures.held += p.interval.lower <= exact && exact <= p.interval.upper;
  }
}

}  // namespace

NetFigures measure_net(int number, const NetBenchOptions& options) {
  const Experiment net = make_net(number);
  const Vector values = scattered_values(net, options, number);
  const optim::ResolvedFit fit(net_problem(net, values, options, number));
  Vector truth(fit.map().size());
  const sim::Values& layout = net.scenario.model.values();
  const Index first = layout.block(*layout.find("stiffness")).offset;
  for (Index k = 0; k < truth.size(); ++k) truth[k] = fit.map().info()[k].transform.theta(values[first + k]);
  const optim::FitReport report = optim::fit(fit);
  NetFigures figures;
  figures.springs = truth.size();
  figures.status = to_string(report.verdict.status);
  figures.fits = report.verdict.status == optim::RunStatus::Converged;
  figures.chi_square = net_square(fit, report.theta) / net_square(fit, truth);
  figures.runs = static_cast<double>(report.search.evaluations.forward) +
                 static_cast<double>(report.search.evaluations.tangent) * runs_of_jacobian(fit);
  figures.iterations = static_cast<int>(report.search.cost_history.size()) - 1;
  figures.seconds = report.seconds;
  count_intervals(fit, truth, report, figures);
  return figures;
}

}  // namespace pithball::experiments
