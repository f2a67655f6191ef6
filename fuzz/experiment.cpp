#include "app/experiment/experiment.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "app/experiment/compare_spec.hpp"
#include "app/experiment/experiment_file.hpp"
#include "app/experiment/fit_spec.hpp"
#include "app/experiment/plan_spec.hpp"
#include "app/yaml/quantity.hpp"
#include "fuzz/target.hpp"
#include "sim/core/error.hpp"
#include "sim/run/simulator.hpp"

namespace {

using namespace pithball;
using app::Tree;

/// An experiment may ask for any amount of work, and what is looked for here is what it may not do. So sizes below
/// these keys are small, or beyond what any machine can hold, which must be rejected.
bool asks_for_little(const Tree& tree, bool sized = false) {
  static const std::set<std::string> sizes{"mesh",     "surface",      "points",     "population",
                                           "substeps", "max_substeps", "iterations", "max_iterations"};
  constexpr std::size_t longest_list = 12;
  sized = (sized && tree.key != "rotate") || sizes.contains(tree.key);
  if (tree.key == "over" && std::ranges::any_of(tree.entries, [](const Tree& t) { return t.entries.size() > 3; }))
    return false;
  if (sized && tree.kind == Tree::Kind::List && tree.entries.size() > longest_list) return false;
  if (sized && tree.kind == Tree::Kind::Scalar) {
    const std::optional<double> number = app::read_plain_number(tree.text);
    if (!number) return tree.text.find_first_of("+-.0123456789") != 0;  // no quantity with a unit
    const double size = std::abs(*number);
    return size == 0 || !(size < 1e12) || (size >= 0.25 && size <= 8);
  }
  return std::ranges::all_of(tree.entries, [&](const Tree& entry) { return asks_for_little(entry, sized); });
}

void run_few_steps(const app::Experiment& experiment) {
  const diff::Scenario& scenario = experiment.scenario;
  const sim::RunOptions options{.integrator = scenario.integrator,
                                .time_step = scenario.time_step,
                                .steps = std::min<sim::Index>(scenario.steps, 3),
                                .stage = scenario.stage};
  std::optional<sim::Population> population;
  if (experiment.population) population.emplace(*experiment.population, scenario.model, scenario.initial.t);
  sim::simulate(population ? population->model() : scenario.model, scenario.initial, options, {}, nullptr,
                population ? &*population : nullptr);
}

}  // namespace

/// `kind`: the command that reads the file; "simulate" makes a few steps too.
void pithball::fuzz::experiment(std::string_view bytes, const std::string& kind) {
  const std::string folder = PITHBALL_SOURCE_DIR "/experiments/demo";  // with a recording
  app::ExperimentDocument document{app::parse_yaml(std::string(bytes), "input.yaml"), folder};
  document.keys = &app::experiment_key_schema();
  if (!asks_for_little(document.root)) return;
  if (kind == "fit") return void(app::read_fit(document));
  if (kind == "plan") return void(app::read_plan(document));
  if (kind == "compare") return void(app::read_compare(document));
  if (kind == "scan") return void(app::read_scan(document));
  const app::Experiment read = app::read_experiment(document);
  try {
    app::read_experiment({app::parse_yaml(app::to_yaml(read.filled), "run.yaml"), folder});
  } catch (const InvalidArgument& error) {
    require(false, error.what());  // that run.yaml reads as the experiment that was run
  }
  run_few_steps(read);
}
