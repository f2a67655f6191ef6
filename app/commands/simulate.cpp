#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "app/base/print_message.hpp"
#include "app/commands/command.hpp"
#include "app/result/json_fields.hpp"
#include "app/run/simulation_run.hpp"
#include "sim/core/text.hpp"

namespace pithball::app {
namespace {

/// Returns the outcome of the run as text.
std::string text_of(const RunResult& result, const Experiment& experiment) {
  const SimulationOutcome& outcome = result.outcome;
  std::string text = fmt::format("{}: {} after {} of {} steps ({:g} s simulated in {:.3g} s)\n", experiment.name,
                                 to_string(result.verdict.status), outcome.steps.completed, outcome.steps.requested,
                                 outcome.steps.completed * outcome.method.time_step, result.summary.seconds);
  const std::string explanation = result.verdict.explanation();
  if (!explanation.empty()) text += "  " + explanation + "\n";
  for (const std::string& note : result.notes) text += "  note: " + note + "\n";
  if (const StepsBy& by = outcome.steps_by; std::isfinite(by.seconds))
    text += fmt::format(
        "  backend                {}, {:.3g} s{}\n", by.version, by.seconds,
        std::isfinite(by.compile_seconds) ? fmt::format(", plus {:.3g} s of compilation", by.compile_seconds) : "");
  if (const EnergyError& error = outcome.energy_error; std::isfinite(error.mean))
    text +=
        fmt::format("  energy error           mean {:.3g}, max {:.3g}, relative to the exchanged energy of {:.3g} J\n",
                    error.mean, error.max, error.scale);
  text += fmt::format("  cost                   {} force evaluations", outcome.cost.force_evaluations);
  if (outcome.cost.linear_solves > 0)
    text += fmt::format(", {} linear solves{} with {} iterations", outcome.cost.linear_solves,
                        outcome.method.linear_solver.empty() ? "" : " by " + outcome.method.linear_solver,
                        outcome.cost.cg_iterations);
  return text + fmt::format("\n  written to             {}\n", result.folder.string());
}

int run(const std::string& file, const CommonOptions& options) {
  const ExperimentDocument document = load_document(file, options);
  const Experiment experiment = read_experiment(document);
  note_many_steps(options, file, experiment.scenario, experiment.every);
  const RunResult result =
      run_simulation(experiment, run_order("simulate", file, document, options, run_target(options, experiment.name)));

  std::string text = text_of(result, experiment);
  nlohmann::ordered_json json = to_json(result.summary, result.outcome);
  report_if_wanted(options, result.folder, json, text);
  print_result(options, json, text);
  const int exit_status = info(result.verdict.status).exit_status;
  if (exit_status != Done && !options.json) print_message("{}: {}\n", file, printable(result.verdict.explanation()));
  return exit_status;
}

}  // namespace

Action declare_simulate(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto file = std::make_shared<std::string>();
  parser.add_option("FILE", *file, "The experiment file")->required()->type_name("FILE.yaml");
  add_run_options(parser, *options);
  parser.footer(help_footer(
      "  pithball simulate experiments/configs/torus-release.yaml\n"
      "  pithball simulate torus.yaml --set simulation.time_step=0.05 --set 'system.charge=3 uC' --out runs/finer\n"
      "  pithball simulate torus.yaml --resume\n"
      "  pithball simulate torus.yaml --overwrite",
      "Writes run.yaml, trajectory.h5, energy.csv and summary.json into the run folder. After Ctrl-C or SIGTERM\n"
      "the folder contains the steps completed so far and is marked incomplete; a killed run is left next to the "
      "folder, as\n"
      "DIR.partial. `--resume` completes it, if program and input files are unchanged. Multistep integrators restart "
      "from\n"
      "step 0, because the run folder does not contain the step history."));
  return [=] { return run(*file, *options); };
}

}  // namespace pithball::app
