#include "app/spec/search_spec.hpp"

#include <fmt/format.h>

#include "app/spec/integrator_spec.hpp"

namespace pithball::app {
namespace {

optim::SearchStage read_stage(Node& item, const Experiment& base) {
  optim::SearchStage stage;
  item.document("integrator", "as `simulation.integrator`", "simulation.integrator",
                "integrator of this stage; imex_euler is fast and strongly damped");
  if (!item.describing() && item.has("integrator")) {
    Node integrator = item.form("integrator");
    stage.integrator = read_named_integrator(integrator, base.body);
  }
  stage.time_step = item.optional_number("time_step", "s", "time step of this stage (default: that of the simulation)",
                                         sim::ValueSign::Positive);
  const auto horizon = item.optional_number("horizon", "s", "use only frames before this simulated time (default: all)",
                                            sim::ValueSign::Positive);
  if (horizon) stage.horizon = *horizon;
  stage.segments = item.integer(
      "segments", "number of multiple-shooting segments; their initial states are estimated from the recording", 1, 1);
  const Index whole = optim::MinimizerOptions().max_iterations;
  if (item.describing() || item.has("max_iterations"))
    stage.max_iterations = static_cast<int>(item.integer(
        "max_iterations", "maximum number of solver iterations in this stage; 0: evaluate the cost only", whole));
  stage.keep = item.integer("keep", "number of distinct best points passed to the next stage", 1, 1);
  return stage;
}

}  // namespace

void read_search(Node& fit, const Experiment& base, optim::FitProblem& problem) {
  Node starts = fit.child("starts", "starting points of the search, in addition to the given one");
  problem.starts.count = starts.integer(
      "count", "number of starting points, including the given one; the others form a Latin hypercube", 1, 1);
  problem.starts.factor = starts.number(
      "factor", "",
      "without bounds, starting points lie between the initial value divided by this and multiplied by this",
      problem.starts.factor, sim::ValueSign::Positive);
  if (!(problem.starts.factor > 1))
    starts.reject("factor", "must be > 1", fmt::format("{:g}", problem.starts.factor), "write 3");
  problem.starts.seed = starts.integer("seed", "seed of the random starting points", 1);
  if (starts.describing() || starts.has("only")) {
    problem.starts.only = starts.integer("only", "number, from 0, of the one starting point to search from", 0);
    if (*problem.starts.only >= problem.starts.count)
      starts.reject("only", fmt::format("must be below count = {}", problem.starts.count),
                    fmt::format("{}", *problem.starts.only), "starting points are numbered from 0");
  }
  problem.stages.clear();
  problem.choose_stages = !fit.is_written("stages");
  for (Node& item : fit.items(
           "stages",
           "easier problems solved before the full one, each starting from the result of the previous one; "
           "default, without `starts`: growing horizons where the sensitivity at the start requires them; []: none"))
    problem.stages.push_back(read_stage(item, base));
}

}  // namespace pithball::app
