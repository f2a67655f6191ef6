#include <fmt/format.h>

#include <memory>

#include "diff/check/gradient_check.hpp"
#include "experiments/commands/command.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {
namespace {

using nlohmann::ordered_json;

int check(const std::string& file, Index steps, const CommonOptions& options) {
  Experiment experiment = read_experiment(load_document(file, options));
  use_threads(options);
  diff::Scenario& scenario = experiment.scenario;
  if (steps > 0) scenario.steps = std::min(scenario.steps, steps);
  diff::GradientCheckOptions tolerances;
  tolerances.budget_mb = experiment.memory_budget_mb;
  const diff::GradientCheck result = diff::check_gradient(scenario, diff::ProbeLoss(scenario), tolerances);

  ordered_json blocks = ordered_json::array();
  std::string text =
      fmt::format("{}: {} particles, {} springs, {}, {} steps of {} s\n\n{:<16} {:>8} {:>14} {:>14} {:>14}\n", file,
                  scenario.model.particles(), scenario.model.springs().size(), scenario.integrator, scenario.steps,
                  scenario.time_step, "block", "entries", "largest", "vs tangent", "vs difference");
  for (const diff::GradientBlock& block : result.blocks) {
    blocks.push_back({{"name", block.name},
                      {"size", block.size},
                      {"largest", block.largest},
                      {"adjoint_vs_tangent", block.adjoint_vs_tangent},
                      {"adjoint_vs_difference", block.adjoint_vs_difference},
                      {"difference_error", block.difference_error},
                      {"worst", block.worst},
                      {"passed", block.passed}});
    text += fmt::format("{:<16} {:>8} {:>14.3e} {:>14.1e} {:>14.1e}  {}\n", block.name, block.size, block.largest,
                        block.adjoint_vs_tangent, block.adjoint_vs_difference,
                        block.passed ? "ok" : "FAILED: " + block.worst);
  }
  const bool ran = result.status.ok();
  const std::string verdict =
      !ran ? fmt::format("{} at step {}: nothing to compare", sim::to_string(result.status.status), result.status.step)
      : result.passed ? "passed"
                      : "failed";
  text += fmt::format(
      "\n{}: differences relative to each block's largest entry, at most {:g} (tangent) and {:g} (finite "
      "differences)\n",
      verdict, tolerances.tangent_tolerance, tolerances.difference_tolerance);
  if (result.status.unreliable_step >= 0)
    text += fmt::format("derivative unreliable at step {}: the implicit step is nearly singular there (buckling)\n",
                        result.status.unreliable_step);
  print_result(
      options,
      {{"passed", result.passed && ran},
       {"status", sim::to_string(result.status.status)},
       {"unreliable_step", result.status.unreliable_step >= 0 ? nlohmann::ordered_json(result.status.unreliable_step)
                                                              : nlohmann::ordered_json(nullptr)},
       {"loss", result.loss},
       {"steps", scenario.steps},
       {"blocks", blocks}},
      text);
  if (!(result.passed && ran) && !options.quiet) fmt::print(stderr, "{}: gradient check {}\n", file, verdict);
  return result.passed && ran ? Done : NumbersFailed;
}

}  // namespace

Action declare_check_gradient(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto file = std::make_shared<std::string>();
  auto steps = std::make_shared<Index>(0);
  parser.add_option("FILE", *file, "The experiment file")->required()->type_name("FILE.yaml");
  parser.add_option("--steps", *steps, "Check the first N steps only (default: all of the experiment)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000000));
  add_set(parser, *options);
  add_threads(parser, *options);
  add_printing(parser, *options);
  parser.footer(
      help_footer("  pithball check-gradient experiments/configs/torus-release.yaml --steps 10\n  pithball "
                  "check-gradient torus.yaml --set simulation.integrator=velocity_verlet --json",
                  "Takes a loss in which every position and velocity of every step counts, and compares its "
                  "derivatives with respect to each kind of\n"
                  "physical value: by the adjoint, by tangents, and by finite differences. A check in which nothing "
                  "has a derivative fails."));
  return [=] { return check(*file, *steps, *options); };
}

}  // namespace pithball::experiments
