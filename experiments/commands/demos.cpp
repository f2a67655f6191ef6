#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/base/json_text.hpp"
#include "app/base/print_message.hpp"
#include "app/report/report_page.hpp"
#include "app/run/simulation_run.hpp"
#include "app/run_folder/kept_states.hpp"
#include "app/run_folder/run.hpp"
#include "app/yaml/nearest.hpp"
#include "app/yaml/node.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "experiments/claim/claim.hpp"
#include "experiments/claim/claim_report.hpp"
#include "experiments/commands/lab_commands.hpp"
#include "experiments/demonstrations/demonstration.hpp"
#include "optim/verdict/run_verdict.hpp"
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

DemonstrationOutcome run_demonstration(const Demonstration& demonstration, bool quick,
                                       const std::filesystem::path& folder, int threads, bool progress) {
  const Experiment experiment = demonstration_experiment(demonstration, quick);
  const Provenance provenance{"demos", demonstration.name,
                              quick ? std::vector<std::string>(demonstration.quick.begin(), demonstration.quick.end())
                                    : std::vector<std::string>{},
                              threads};
  const RunResult result = run_simulation(experiment, {folder, provenance, {.overwrite = true}, progress});
  DemonstrationOutcome outcome{demonstration.name,
                               to_string(result.verdict.status),
                               experiment.scenario.model.particles(),
                               result.outcome.steps.completed,
                               result.summary.seconds,
                               {}};
  if (result.verdict.grade() == optim::Grade::Bad) {
    print_message("{}: {}\n", demonstration.name, result.verdict.explanation());
    outcome.claims = {claim_of_failed_run(outcome.status)};
    return outcome;
  }
  sim::Trajectory trajectory = datasets::read_h5md((folder / "trajectory.h5").string()).trajectory;
  trajectory.energy = read_energy_table(folder / "energy.csv");
  outcome.claims = demonstration.claims({experiment, trajectory});
  return outcome;
}

nlohmann::ordered_json outcome_json(const DemonstrationOutcome& outcome) {
  return {{"demonstration", outcome.name},
          {"status", outcome.status},
          {"particles", outcome.particles},
          {"steps", outcome.steps},
          {"seconds", outcome.seconds},
          {"steps_per_second", number_or_null(outcome.steps_per_second())},
          {"figures", rows_of_claims(outcome.claims)}};
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
    if (options.report && optim::grade_of(outcomes.back().status) != optim::Grade::Bad) {
      const WrittenReport report =
          write_report(read_run(folder), folder / "report.html", find_report_template(),
                       {.further = {claim_section("Claims", demonstration->summary, outcomes.back().claims)}});
      json["report"] = report.file.string();
      reports += fmt::format("  report                 {}\n", report.file.string());
    }
    result["demonstrations"].push_back(json);
    if (optim::find_run_status(outcomes.back().status) == optim::RunStatus::Interrupted)
      break;  // the signal also stops the remaining demonstrations
  }
  const std::vector<ClaimGroup> claims = claims_of(outcomes);
  const int status = exit_status(claims);
  result["all_hold"] = status == Done;
  print_result(options, result, table_of_claims(claims) + reports);
  return status;
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
  parser.add_option("NAME", a->names, "Demonstrations to run (default: all)")->type_name("NAME");
  parser.add_flag("--quick", a->quick, "Use shorter or smaller runs, as a preview");
  add_out(parser, a->options);
  add_threads(parser, a->options);
  add_printing(parser, a->options);
  add_report(parser, a->options);
  parser.footer("\nDemonstrations:\n" + known +
                help_footer("  pithball-lab demos --report                  all, with a page each in runs/demos/NAME\n"
                            "  pithball-lab demos tracers_in_vortex --quick\n",
                            "Each writes a run folder and prints its numbers next to the expected values. " +
                                std::string(missed_claim_help) +
                                "\nCtrl-C or SIGTERM stops all of them; the remaining claims are then not checked."));
  return [a] { return run_demos(a->names, a->quick, a->options); };
}

}  // namespace pithball::experiments
