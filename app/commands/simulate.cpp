#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/commands/command.hpp"
#include "app/run/simulation_run.hpp"
#include "sim/core/text.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

int run(const std::string& file, const CommonOptions& options) {
  const ExperimentDocument document = load_document(file, options);
  const Experiment experiment = read_experiment(document);
  RunResult result =
      run_simulation(experiment, run_order("simulate", file, document, options, run_target(options, experiment.name)));

  std::string text = fmt::format("{}: {} after {} of {} steps ({:g} s simulated in {:.3g} s)\n", experiment.name,
                                 result.verdict.status, result.steps, experiment.scenario.steps,
                                 static_cast<double>(result.steps) * experiment.scenario.time_step, result.seconds);
  const std::string explanation = result.verdict.explanation();
  if (!explanation.empty()) text += "  " + explanation + "\n";
  for (const std::string& note : result.notes) text += "  note: " + note + "\n";
  if (const auto& backend = result.summary["backend"]; backend["seconds"].is_number())
    text += fmt::format("  steps by               {}, {:.3g} s{}\n", backend["version"].get<std::string>(),
                        backend["seconds"].get<double>(),
                        backend["compile_seconds"].is_number()
                            ? fmt::format(" after {:.3g} s of compiling", backend["compile_seconds"].get<double>())
                            : "");
  if (result.summary["energy_error"]["mean"].is_number())
    text += fmt::format("  energy error           mean {:.3g}, max {:.3g} of the {:.3g} J that move\n",
                        result.summary["energy_error"]["mean"].get<double>(),
                        result.summary["energy_error"]["max"].get<double>(),
                        result.summary["energy_error"]["scale"].get<double>());
  const auto& cost = result.summary["cost"];
  text += fmt::format(
      "  cost                   {} force sums, {} linear solves, {} CG iterations\n  written to             {}\n",
      cost["force_evaluations"].get<long>(), cost["linear_solves"].get<long>(), cost["cg_iterations"].get<long>(),
      result.folder.string());
  report_if_wanted(options, result.folder, result.summary, text);
  print_result(options, result.summary, text);
  if (result.verdict.grade() != Grade::Bad) return Done;
  if (!options.json) fmt::print(stderr, "{}: {}\n", file, printable(explanation));
  return NumbersFailed;
}

}  // namespace

Action declare_simulate(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto file = std::make_shared<std::string>();
  parser.add_option("FILE", *file, "The experiment file")->required()->type_name("FILE.yaml");
  add_out(parser, *options);
  add_set(parser, *options);
  add_threads(parser, *options);
  add_printing(parser, *options);
  add_earlier(parser, *options);
  add_report(parser, *options);
  parser.footer(help_footer(
      "  pithball simulate experiments/configs/torus-release.yaml\n"
      "  pithball simulate torus.yaml --set simulation.time_step=0.05 --set 'system.charge=3 uC' --out runs/finer\n"
      "  pithball simulate torus.yaml --resume\n"
      "  pithball simulate torus.yaml --overwrite",
      "Writes run.yaml, trajectory.h5, energy.csv and summary.json into the run folder. Ctrl-C or SIGTERM keeps what "
      "was\n"
      "computed and marks the run incomplete; a run that was killed is found beside the folder, as DIR.partial. "
      "`--resume` then\ncompletes it, if program and input files are the same. A multi-step scheme begins again, "
      "because "
      "the\nfolder holds states and not the steps before them."));
  return [=] { return run(*file, *options); };
}

}  // namespace pithball::app
