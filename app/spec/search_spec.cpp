#include "app/spec/search_spec.hpp"

#include <fmt/format.h>

#include "app/spec/integrator_spec.hpp"
#include "app/spec/iteration_count.hpp"

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
    stage.max_iterations =
        read_iteration_count(item, "max_iterations",
                             "maximum number of solver iterations in this stage; 0: evaluate the cost only", whole, 0);
  stage.keep = item.integer("keep", "number of distinct best points passed to the next stage", 1, 1);
  return stage;
}

void read_starts(Node& fit, optim::SearchStrategy& search) {
  search.further_starts = !fit.is_written("starts");
  if (fit.is_scalar("starts")) {
    if (const std::string word = fit.text("starts", ""); word != "none")
      fit.reject("starts", "must be a mapping of keys, or none", "'" + word + "'", "write `starts: {count: 10}`");
    return;
  }
  Node starts = fit.child("starts",
                          "starting points of the search, in addition to the given one, or `none`; default: further "
                          "ones where the fit is off or aliases are possible, for no more than the search cost");
  search.starts.count = starts.integer(
      "count", "number of starting points, including the given one; the others form a Latin hypercube", 1, 1);
  search.starts.factor = starts.number(
      "factor", "",
      "without bounds, starting points lie between the initial value divided by this and multiplied by this",
      search.starts.factor, sim::ValueSign::Positive);
  if (!(search.starts.factor > 1))
    starts.reject("factor", "must be > 1", fmt::format("{:g}", search.starts.factor), "write 3");
  search.starts.seed = starts.integer("seed", "seed of the random starting points", 1);
  if (starts.describing() || starts.has("only")) {
    search.starts.only = starts.integer("only", "number, from 0, of the one starting point to search from", 0);
    if (*search.starts.only >= search.starts.count)
      starts.reject("only", fmt::format("must be below count = {}", search.starts.count),
                    fmt::format("{}", *search.starts.only), "starting points are numbered from 0");
  }
}

}  // namespace

void read_search(Node& fit, const Experiment& base, optim::SearchStrategy& search) {
  read_starts(fit, search);
  search.stages.clear();
  search.choose_stages = !fit.is_written("stages");
  for (Node& item : fit.items(
           "stages",
           "easier problems solved before the full one, each starting from the result of the previous one; "
           "default, without `starts`: growing horizons where the sensitivity at the start requires them; []: none"))
    search.stages.push_back(read_stage(item, base));
}

}  // namespace pithball::app
