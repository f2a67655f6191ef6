#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/base/json_text.hpp"
#include "app/run/simulation_run.hpp"
#include "app/run_folder/energy_table.hpp"
#include "app/yaml/named.hpp"
#include "app/yaml/nearest.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "experiments/commands/lab_commands.hpp"
#include "experiments/demonstrations/demonstration.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

std::vector<const Demonstration*> chosen(const std::vector<std::string>& names) {
  std::vector<const Demonstration*> list;
  for (const Demonstration& demonstration : demonstrations())
    if (names.empty() || std::find(names.begin(), names.end(), demonstration.name) != names.end())
      list.push_back(&demonstration);
  for (const std::string& name : names)
    if (std::none_of(list.begin(), list.end(), [&](const Demonstration* d) { return d->name == name; }))
      throw InvalidArgument(
          {"pithball-lab demos", "NAME", "must be one of " + joined(names_of(demonstrations())), name, ""});
  return list;
}

nlohmann::ordered_json figure_json(const DemonstrationFigure& figure) {
  return {{"quantity", figure.quantity}, {"value", number_or_null(figure.value)},
          {"expected", figure.expected}, {"tolerance", figure.tolerance},
          {"unit", figure.unit},         {"why", figure.why},
          {"holds", figure.holds()}};
}

DemonstrationOutcome run_demonstration(const Demonstration& demonstration, bool quick,
                                       const std::filesystem::path& folder, int threads, bool progress) {
  const Experiment experiment = demonstration_experiment(demonstration, quick);
  const Provenance provenance{"demos", demonstration.name,
                              quick ? std::vector<std::string>(demonstration.quick.begin(), demonstration.quick.end())
                                    : std::vector<std::string>{},
                              threads};
  const RunResult result = run_simulation(experiment, {folder, provenance, {.overwrite = true}, progress});
  DemonstrationOutcome outcome{demonstration.name, result.verdict.status, experiment.scenario.model.particles(),
                               result.steps,       result.seconds,        {}};
  if (result.verdict.grade() == Grade::Bad) {
    fmt::print(stderr, "{}: {}\n", demonstration.name, result.verdict.explanation());
    return outcome;
  }
  sim::Trajectory trajectory = datasets::read_h5md((folder / "trajectory.h5").string()).trajectory;
  trajectory.energy = read_energy_table(folder / "energy.csv");
  outcome.figures = demonstration.figures({experiment, trajectory});
  return outcome;
}

nlohmann::ordered_json outcome_json(const DemonstrationOutcome& outcome) {
  nlohmann::ordered_json json{{"demonstration", outcome.name},
                              {"status", outcome.status},
                              {"particles", outcome.particles},
                              {"steps", outcome.steps},
                              {"seconds", outcome.seconds},
                              {"steps_per_second", number_or_null(outcome.steps_per_second())},
                              {"figures", nlohmann::ordered_json::array()}};
  for (const DemonstrationFigure& figure : outcome.figures) json["figures"].push_back(figure_json(figure));
  return json;
}

int run_demos(const std::vector<std::string>& names, bool quick, const CommonOptions& options) {
  const auto list = chosen(names);
  const int threads = use_threads(options);
  nlohmann::ordered_json result{{"quick", quick}, {"demonstrations", nlohmann::ordered_json::array()}};
  std::vector<DemonstrationOutcome> outcomes;
  std::string reports;
  for (const Demonstration* demonstration : list) {
    const std::filesystem::path folder = run_target(options, "demos") / demonstration->name;
    outcomes.push_back(run_demonstration(*demonstration, quick, folder, threads, !options.quiet));
    nlohmann::ordered_json json = outcome_json(outcomes.back());
    if (!outcomes.back().figures.empty()) report_if_wanted(options, folder, json, reports);
    result["demonstrations"].push_back(json);
    if (outcomes.back().status == "interrupted") break;  // the signal was for all of them
  }
  const bool all_hold =
      std::all_of(outcomes.begin(), outcomes.end(), [](const auto& outcome) { return outcome.holds(); });
  result["all_hold"] = all_hold;
  print_result(options, result, text_of_demonstrations(outcomes) + reports);
  return all_hold ? Done : NumbersFailed;
}

}  // namespace

Action declare_demos(CLI::App& parser) {
  struct Arguments {
    std::vector<std::string> names;
    bool quick = false;
    CommonOptions options;
  };
  auto a = std::make_shared<Arguments>();
  std::string known;
  for (const Demonstration& demonstration : demonstrations())
    known += fmt::format("  {:<20} {}\n", demonstration.name, demonstration.summary);
  parser.add_option("NAME", a->names, "Which; all if left out")->type_name("NAME");
  parser.add_flag("--quick", a->quick, "shorter or smaller, for a look");
  add_out(parser, a->options);
  add_threads(parser, a->options);
  add_printing(parser, a->options);
  add_report(parser, a->options);
  parser.footer(
      "\nDemonstrations:\n" + known +
      help_footer(
          "  pithball-lab demos --report                  all, with a page each in runs/demos/NAME\n"
          "  pithball-lab demos tracers_in_vortex --quick\n",
          "Each leaves a run folder and prints numbers beside what they must be. Ctrl-C or SIGTERM stops them all;\n"
          "the status is then 1."));
  return [a] { return run_demos(a->names, a->quick, a->options); };
}

}  // namespace pithball::experiments
