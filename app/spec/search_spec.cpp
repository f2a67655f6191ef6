#include "app/spec/search_spec.hpp"

#include "app/spec/integrator_spec.hpp"

namespace pithball::app {
namespace {

optim::SearchStage read_stage(Node& item, const Experiment& base) {
  optim::SearchStage stage;
  item.document("integrator", "name, or {name: settings}", "simulation.integrator",
                "of this stage, written as `simulation.integrator` is; imex_euler is quick and calm");
  if (!item.describing() && item.has("integrator")) {
    Node scheme = item.form("integrator");
    stage.integrator = read_scheme(scheme, base.body);
  }
  stage.time_step = item.optional_number("time_step", "s", "of this stage; by default that of the simulation",
                                         sim::ValueSign::Positive);
  const auto horizon = item.optional_number(
      "horizon", "s", "only frames before this simulated time count; by default all", sim::ValueSign::Positive);
  if (horizon) stage.horizon = *horizon;
  stage.segments = item.integer(
      "segments", "cuts the run in so many pieces that start from the film and are then joined (multiple shooting)", 1,
      1);
  const Index whole = optim::MinimizerOptions().max_iterations;
  if (item.describing() || item.has("max_iterations"))
    stage.max_iterations = static_cast<int>(
        item.integer("max_iterations", "of the solver in this stage; 0 only looks at the cost", whole));
  stage.keep = item.integer("keep", "how many of the best points that differ go on", 1, 1);
  return stage;
}

}  // namespace

void read_search(Node& fit, const Experiment& base, optim::FitProblem& problem) {
  Node starts = fit.child("starts", "where to search from, besides the given start");
  problem.starts.count =
      starts.integer("count", "starts in all; others than the given one fill a Latin hypercube", 1, 1);
  problem.starts.factor = starts.number(
      "factor", "", "starts lie between the given one divided and multiplied by this, where bounds do not say",
      problem.starts.factor, sim::ValueSign::Positive);
  if (!(problem.starts.factor > 1)) starts.refuse("factor", "must be > 1", "a smaller one", "write 3");
  problem.starts.seed = starts.integer("seed", "of the starts drawn", 1);
  problem.stages.clear();
  problem.choose_stages = !fit.is_written("stages");
  for (Node& item :
       fit.items("stages",
                 "easier problems to search before the whole one, each from where the last ended; by default, without "
                 "`starts`, growing horizons where the sensitivity at the start asks for them; []: none"))
    problem.stages.push_back(read_stage(item, base));
}

}  // namespace pithball::app
