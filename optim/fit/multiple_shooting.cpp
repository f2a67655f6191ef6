#include "optim/fit/multiple_shooting.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "optim/fit/problem.hpp"
#include "optim/fit/shooting_residual.hpp"
#include "optim/search/levenberg_marquardt.hpp"
#include "sim/core/checked_product.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// Weights of the gaps, one search after the other.
constexpr double gap_weights[] = {0.1, 1, 10, 100, 1000};
/// How far a search under one weight may move a θ, which is scaled so that 1 is a large change: the states of loose
/// segments soon explain what is left of a small effect, and its value would run away.
constexpr double reach = 1;
/// Of the relative decrease of the cost: a search under one weight is the start of the next.
constexpr double loose_tolerance = 1e-4;

}  // namespace

void check_shooting(const FitProblem& problem, Index segments) {
  if (segments < 2)
    throw InvalidArgument({"", "segments", "must be >= 2", std::to_string(segments), "omit it for one segment"});
  for (std::size_t s = 0; s < problem.observations.size(); ++s)
    if (const MeasurementKind& kind = kind_of(problem.observations[s]); !kind.geometry.is_place)
      throw InvalidArgument({"", "segments",
                             "requires positions of points, from which the states of the segments begin",
                             "recording '" + problem.scenarios[s].name + "' of measurement " + kind.name,
                             "write stages with a growing horizon instead: fit.stages: [{horizon: …}]"});
  const ParameterMap map = make_parameter_map(problem);
  std::optional<Index> rows = 0;
  Index width = 0;
  const auto product = [](Index a, Index b) { return checked_product(std::array{a, b}, largest_shooting); };
  for (std::size_t s = 0; s < problem.scenarios.size(); ++s) {
    const Observation& seen = problem.observations[s];
    const Index state = 2 * static_cast<Index>(diff::free_coordinates(problem.scenarios[s].model).size());
    const std::optional<Index> readings = product(3 * seen.times.size(), seen.markers.size()),
                               states = product(segments - 1, state);
    rows = rows && readings && states ? std::optional(*rows + *readings + *states) : std::nullopt;
    if (rows) width = std::max(width, moves_clock(map, map.initial(), static_cast<Index>(s)) ? *states : 2 * state);
  }
  const std::optional<Index> numbers = rows ? product(*rows, map.size() + width) : std::nullopt;
  if (!numbers)
    throw InvalidArgument({"", "segments",
                           "must leave a Jacobian of at most " + std::to_string(largest_shooting) + " numbers",
                           std::to_string(segments) + " segments", "use fewer segments, or a growing horizon"});
}

MinimizerReport multiple_shooting(const FitProblem& problem, Index segments, const Vector& start,
                                  EvaluationCounts& counts, const MinimizerWatch& watch) {
  check_shooting(problem, segments);
  ShootingResidual residual(problem, segments, counts);
  const ParameterMap& map = residual.map();
  MinimizerReport report;
  report.theta = start;
  if (const Evaluation evaluation = residual.cut(start); !evaluation.ok()) {
    report.message = "cannot evaluate: " + evaluation.failure;
    return report;
  }
  const Index states = residual.parameters() - map.size();
  const Vector nowhere = Vector::Constant(states, std::numeric_limits<double>::infinity());
  Vector x = Vector::Zero(residual.parameters());
  x.head(map.size()) = start;
  MinimizerOptions options = problem.search.minimizer;
  options.function_tolerance = std::max(options.function_tolerance, loose_tolerance);
  MinimizerWatch with_states = watch.silent();
  if (watch.on_iteration)
    with_states.on_iteration = [&](const IterationReport& iteration) {
      IterationReport values = iteration;
      values.theta = iteration.theta.head(map.size());
      watch.on_iteration(values);
    };
  for (const double weight : gap_weights) {
    residual.set_gap_weight(weight);
    Bounds bounds{Vector(residual.parameters()), Vector(residual.parameters())};
    bounds.lower << (x.head(map.size()).array() - reach).matrix().cwiseMax(map.lower()), -nowhere;
    bounds.upper << (x.head(map.size()).array() + reach).matrix().cwiseMin(map.upper()), nowhere;
    const MinimizerReport found = levenberg_marquardt(residual, x, bounds, options, with_states);
    x = found.theta;
    report.status = found.status;
    report.message = found.message;
    report.failed_evaluations += found.failed_evaluations;
    for (std::size_t k = 0; k < found.cost_history.size(); ++k)  // of its many values no way is kept: only the end
      report.add_iteration(found.cost_history[k], (found.path.empty() ? x : found.path[k]).head(map.size()));
    if (found.status == MinimizerStatus::Failed || found.status == MinimizerStatus::Stopped) break;
  }
  report.theta = x.head(map.size());
  Vector r;
  if (residual.evaluate(x, r, nullptr).ok()) report.cost = residual.cost(r);
  return report;
}

}  // namespace pithball::optim
