#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/backend/backend_choice.hpp"
#include "app/base/print_message.hpp"
#include "app/commands/command.hpp"
#include "app/result/json_fields.hpp"
#include "app/run/gradient_run.hpp"

namespace pithball::app {
namespace {

std::string verdict_of(const diff::GradientBlock& block) {
  switch (block.verdict) {
    case diff::BlockVerdict::Failed:
      return "FAILED: " + block.worst;
    case diff::BlockVerdict::NotResolved:
      if (block.worst.empty()) return "not resolved: its values cannot be changed here";
      return fmt::format("not resolved: rounding of {:.1e}", block.floor);
    default:
      return to_string(block.verdict);
  }
}

/// Returns the result of the check as text.
std::string text_of(const GradientRun& run, const diff::Scenario& scenario, const std::string& file) {
  std::string text =
      fmt::format("{}: {} particles, {} springs, {}, {} steps of {} s\n\n{:<16} {:>8} {:>14} {:>14} {:>14}\n", file,
                  scenario.model.particles(), scenario.model.springs().size(), scenario.integrator.name(),
                  scenario.steps, scenario.time_step, "block", "entries", "largest", "vs tangent", "vs difference");
  for (const diff::GradientBlock& block : run.check.blocks)
    text += fmt::format("{:<16} {:>8} {:>14.3e} {:>14.1e} {:>14.1e}  {}\n", block.name, block.size, block.largest,
                        block.adjoint_vs_tangent, block.adjoint_vs_difference, verdict_of(block));
  text += fmt::format(
      "\n{}: differences relative to each block's largest entry, at most {:g} (tangent) and {:g} (finite "
      "differences)\n",
      run.verdict, run.tolerances.tangent_tolerance, run.tolerances.difference_tolerance);
  const bool has_nan = std::ranges::any_of(
      run.check.blocks, [](const diff::GradientBlock& block) { return std::isnan(block.adjoint_vs_tangent); });
  if (has_nan)
    text += "nan: a derivative of a force is not a number somewhere on this motion\n";
  else if (run.check.status.unreliable_step >= 0)
    text +=
        fmt::format("derivative unreliable at step {}, {}\n", run.check.status.unreliable_step, diff::where_unreliable);
  for (const std::string& doubt : run.record.doubts) text += fmt::format("doubtful: {}\n", doubt);
  if (run.check.crossings > 0)
    text += fmt::format(
        "{} particles left their cells during a finite difference; the cells of the reference run were used\n",
        run.check.crossings);
  return text;
}

int check(const std::string& file, Index steps, const CommonOptions& options) {
  const ExperimentDocument document = load_document(file, options);
  Experiment experiment = read_experiment(document);
  reject_population(experiment, file);
  require_own_backend(experiment.backend, "check-gradient");
  const std::filesystem::path target = run_target(options, experiment.name + "-gradient");
  const bool keeps = options.report || !options.out.empty();
  const RunOrder order = run_order("check-gradient", file, document, options, target);
  if (keeps) RunFolder::check(target, order.earlier);
  const GradientRun run = run_gradient_check(experiment, steps, order.progress);
  std::string text = text_of(run, experiment.scenario, file);
  nlohmann::ordered_json json = to_json(run.record);
  if (keeps) {
    write_gradient_run(run, experiment, order);
    text += fmt::format("written to {}\n", target.string());
    json["folder"] = target.string();
    report_if_wanted(options, target, json, text);
  }
  print_result(options, json, text);
  if (!run.ok) print_message("{}: gradient check {}\n", file, run.verdict);
  return run.ok ? Done : NumbersFailed;
}

}  // namespace

Action declare_check_gradient(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto file = std::make_shared<std::string>();
  auto steps = std::make_shared<Index>(0);
  parser.add_option("FILE", *file, "The experiment file")->required()->type_name("FILE.yaml");
  parser.add_option("--steps", *steps, "Check the first N steps only (default: all)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000000));
  add_analysis_options(parser, *options, "-gradient");
  parser.footer(
      help_footer("  pithball check-gradient experiments/configs/torus-release.yaml --steps 10\n  pithball "
                  "check-gradient torus.yaml --set simulation.integrator=velocity_verlet --json",
                  "Takes a test loss that depends on the positions and velocities of every step, and compares its "
                  "derivatives with\n"
                  "respect to each kind of physical value, from the adjoint, from tangents and from finite "
                  "differences. The check fails\n"
                  "if the loss depends on none of the values."));
  return [=] { return check(*file, *steps, *options); };
}

}  // namespace pithball::app
