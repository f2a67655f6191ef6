#include <fmt/format.h>

#include <memory>

#include "app/base/progress.hpp"
#include "experiments/bench/cloth_bench.hpp"
#include "experiments/commands/lab_commands.hpp"
#include "sim/coulomb/direct/direct_kernel.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

using nlohmann::ordered_json;

struct ClothBenchOptions {
  Index vertices = 10000, steps = 100, common = 10;
  double tolerance = 1e-6;
};

ordered_json to_json(const StepSeconds& seconds) {
  return {{"steps", seconds.steps},
          {"seconds_per_step", seconds.step},
          {"coulomb", seconds.sum.total()},
          {"coulomb_structure", seconds.sum.structure},
          {"coulomb_plan", seconds.sum.plan},
          {"coulomb_evaluation", seconds.sum.evaluation},
          {"rest", seconds.rest()}};
}

ordered_json to_json(const ClothRow& row) {
  return {{"method", row.method},
          {"all_steps", to_json(row.all)},
          {"common_steps", to_json(row.common)},
          {"ratio_to_auto", row.ratio},
          {"difference_to_auto", row.difference},
          {"linear_solves_per_step", row.linear_solves},
          {"cg_iterations_per_step", row.cg_iterations},
          {"status", sim::to_string(row.status)}};
}

std::string to_text(const std::string& method, const StepSeconds& s) {
  const auto ms = [](double seconds) { return 1e3 * seconds; };
  return fmt::format("  {:<12} {:>5} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f}", method, s.steps, ms(s.step),
                     ms(s.sum.structure), ms(s.sum.plan), ms(s.sum.evaluation), ms(s.rest()));
}

std::string to_text(const ClothFigures& figures) {
  std::string text = fmt::format("  {:<12} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>10}\n", "ms a step", "steps",
                                 "all", "structure", "plan", "sum", "rest", "/ auto", "difference");
  for (const ClothRow& row : figures.rows)
    text += to_text(row.method, row.common) + fmt::format(" {:>8.2f} {:>10.1e}\n", row.ratio, row.difference);
  const ClothRow& first = figures.rows.front();
  text += to_text(first.method, first.all) + "\n";
  text += fmt::format("  stage problems of auto: {}, {:.1f} solves and {:.1f} CG iterations a step\n",
                      figures.linear_solver, first.linear_solves, first.cg_iterations);
  for (const ClothRow& row : figures.rows)
    if (row.status != sim::StepStatus::Ok) text += fmt::format("  {}: {}\n", row.method, sim::to_string(row.status));
  return text;
}

/// Claims that every method completes its steps and ends at the same positions as `auto`.
std::vector<Claim> claims_of(const ClothFigures& figures, double tolerance) {
  std::vector<Claim> claims;
  for (const ClothRow& row : figures.rows) {
    claims.push_back(
        claim_word(row.method + ": its steps", sim::to_string(row.status), "ok", "all steps are completed"));
    if (&row == &figures.rows.front()) continue;
    claims.push_back(claim_at_most(row.method + ": position difference from auto", row.difference, tolerance, "",
                                   "fields agree within the tolerance of auto, and are only a part of the forces"));
  }
  return claims;
}

int bench_cloth(const ClothBenchOptions& wanted, const CommonOptions& options) {
  const int threads = use_threads(options);
  ExperimentDocument document = cloth_document(wanted.vertices);
  apply_set(options, document);
  Experiment experiment = read_experiment(document);
  diff::Scenario& scenario = experiment.scenario;
  scenario.steps = wanted.steps;
  const ClothFigures figures = [&] {
    Progress bar("bench cloth", 1, !options.quiet);
    bar.update(0);
    return measure_cloth(scenario, wanted.tolerance, wanted.common, [&](double share) { bar.update(share); });
  }();
  ordered_json json{{"bench", "cloth"},
                    {"vertices", scenario.model.particles()},
                    {"springs", scenario.model.springs().size()},
                    {"integrator", scenario.integrator.name()},
                    {"time_step", scenario.time_step},
                    {"tolerance", wanted.tolerance},
                    {"linear_solver", figures.linear_solver},
                    {"threads", threads},
                    {"instruction_set", sim::direct::instruction_set()},
                    {"rows", ordered_json::array()}};
  for (const ClothRow& row : figures.rows) json["rows"].push_back(to_json(row));
  return print_with_claims(
      options, json,
      fmt::format("cloth of {} vertices, {} springs, {}, step {} s, tolerance {:.0e}, threads: {}, {}\n",
                  scenario.model.particles(), scenario.model.springs().size(), scenario.integrator.name(),
                  scenario.time_step, wanted.tolerance, threads, sim::direct::instruction_set()) +
          to_text(figures),
      claims_of(figures, wanted.tolerance));
}

}  // namespace

Action declare_cloth_bench(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<ClothBenchOptions>();
  parser
      .add_option("--vertices", wanted->vertices, "Approximate number of vertices of the square cloth (default 10000)")
      ->type_name("N")
      ->check(CLI::Range(4, 4000000));
  parser.add_option("--steps", wanted->steps, "Number of steps with method auto (default 100)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  parser
      .add_option("--common", wanted->common,
                  "Number of these steps that are also made with the other methods (default 10)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  parser.add_option("--tolerance", wanted->tolerance, "Tolerance of method auto (default 1e-6)")
      ->type_name("T")
      ->check(number_within(1e-10, 0.1));
  add_set(parser, *options);
  add_threads(parser, *options);
  add_printing(parser, *options);
  parser.footer(help_footer_on_claims(
      "  pithball-lab bench cloth\n  pithball-lab bench cloth --common 100 --threads 1 --json > cloth.json\n"
      "  pithball-lab bench cloth --set simulation.linear_solver=cholesky",
      "Steps the same charged cloth with method auto, with direct, and with plain loops over all pairs (those of\n"
      "`bench coulomb`). Times are medians of single steps; the methods alternate, step by step, during the common "
      "steps,\n"
      "and auto alone makes the others. The Coulomb evaluation is divided into tree and lists, update of positions, "
      "and\n"
      "evaluation; the remainder of a step is mostly the implicit solve of the springs. `/ auto` compares whole steps; "
      "the\n"
      "difference is the largest position difference, relative to the largest displacement."));
  return [=] { return bench_cloth(*wanted, *options); };
}

}  // namespace pithball::experiments
