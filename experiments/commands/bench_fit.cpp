#include <fmt/format.h>

#include <memory>

#include "app/base/interruption.hpp"
#include "app/base/progress.hpp"
#include "experiments/bench/fit_bench.hpp"
#include "experiments/bench/fit_data.hpp"
#include "experiments/commands/lab_commands.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

using nlohmann::ordered_json;

struct FitBenchWanted {
  Index vertices = 3481;
  int iterations = 100;
  double tolerance = 1e-3;
  FitBenchOptions fit;
};

ordered_json to_json(const FitBenchFigures& figures) {
  const optim::FitReport& report = figures.report;
  return {{"parameters", figures.parameters},
          {"residuals", figures.residuals},
          {"status", optim::to_string(report.search.status)},
          {"iterations", report.search.cost_history.size() - 1},
          {"start_median_error", figures.start_median_error},
          {"median_error", figures.median_error},
          {"percentile_95_error", figures.percentile_95_error},
          {"largest_error", figures.largest_error},
          {"rms", report.goodness.errors.fit.model},
          {"seconds", report.seconds},
          {"forward_seconds", figures.forward_seconds},
          {"fit_in_forward_runs", figures.forward_runs()},
          {"gradient_in_forward_runs", figures.gradient_forward_runs()},
          {"evaluations",
           {{"forward", report.search.evaluations.forward},
            {"tangent", report.search.evaluations.tangent},
            {"adjoint", report.search.evaluations.adjoint}}},
          {"cost_history", report.search.cost_history}};
}

std::string to_text(const FitBenchFigures& figures) {
  const optim::FitReport& report = figures.report;
  return fmt::format(
      "  {} stiffnesses from {} coordinates: {} after {} iterations\n"
      "  median error {:.3g} % (start {:.3g} %), 95 % below {:.3g} %, largest {:.3g} %; positions to {:.3g} mm\n"
      "  {:.1f} s = {:.0f} forward runs of {:.3f} s ({} runs, {} tangents, {} adjoints); a gradient costs {:.2f}\n",
      figures.parameters, figures.residuals, optim::to_string(report.search.status),
      report.search.cost_history.size() - 1, 100 * figures.median_error, 100 * figures.start_median_error,
      100 * figures.percentile_95_error, 100 * figures.largest_error, 1e3 * report.goodness.errors.fit.model,
      report.seconds, figures.forward_runs(), figures.forward_seconds, report.search.evaluations.forward,
      report.search.evaluations.tangent, report.search.evaluations.adjoint, figures.gradient_forward_runs());
}

int bench_fit(FitBenchWanted wanted, const CommonOptions& options) {
  const int threads = use_threads(options);
  ExperimentDocument document = membrane_document(wanted.vertices);
  apply_set(options, document);
  const Experiment experiment = read_experiment(document);
  const diff::Scenario& scenario = experiment.scenario;
  const Interruption interruption;
  optim::MinimizerOptions minimizer;
  minimizer.max_iterations = wanted.iterations;
  minimizer.function_tolerance = wanted.tolerance;
  const FitBenchFigures figures = [&] {
    Progress bar("bench fit", minimizer.max_iterations, !options.quiet);
    bar.update(0);  // shown while the recording is made and a gradient is timed
    const auto show = [&](const optim::IterationReport& iteration) { bar.update(iteration.iteration); };
    return measure_fit(experiment, wanted.fit, minimizer, {show, &Interruption::flag()});
  }();
  ordered_json json{{"bench", "fit"},
                    {"vertices", scenario.model.particles()},
                    {"springs", scenario.model.springs().size()},
                    {"frames", wanted.fit.frames},
                    {"integrator", scenario.integrator.name()},
                    {"time_step", scenario.time_step},
                    {"solver", wanted.fit.solver},
                    {"spread", wanted.fit.spread},
                    {"noise", wanted.fit.noise},
                    {"threads", threads}};
  json.update(to_json(figures));
  const optim::FitReport& report = figures.report;
  const std::vector<Claim> claims{
      claim_word("the fit", optim::to_string(report.search.status), "converged",
                 "the fit converges within its iterations"),
      claim_better("median error of the stiffnesses", figures.median_error, figures.start_median_error,
                   "start: one value for all springs", "", "the motion distinguishes between springs")};
  return print_with_claims(
      options, json,
      fmt::format("membrane of {} vertices, {} springs, {} frames, {}, step {} s, {}, threads: {}\n",
                  scenario.model.particles(), scenario.model.springs().size(), wanted.fit.frames,
                  scenario.integrator.name(), scenario.time_step, wanted.fit.solver, threads) +
          to_text(figures),
      claims);
}

}  // namespace

Action declare_fit_bench(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<FitBenchWanted>();
  parser
      .add_option("--vertices", wanted->vertices,
                  "Approximate number of vertices of the square membrane (default 3481)")
      ->type_name("N")
      ->check(CLI::Range(9, 1000000));
  parser.add_option("--frames", wanted->fit.frames, "Number of frames, one per step (default 100)")
      ->type_name("N")
      ->check(CLI::Range(2, 100000));
  parser.add_option("--noise", wanted->fit.noise, "Standard deviation of each coordinate in m (default 0)")
      ->type_name("S")
      ->check(number_within(0.0, 1.0));
  parser
      .add_option("--spread", wanted->fit.spread,
                  "Standard deviation of the logarithms of the true stiffnesses (default 0.3)")
      ->type_name("S")
      ->check(number_within(0.0, 2.0));
  parser.add_option("--solver", wanted->fit.solver, "Solver of the fit (default gauss_newton)")
      ->check(CLI::IsMember(optim::minimizers().names()));
  parser.add_option("--iterations", wanted->iterations, "Largest number of iterations (default 100)")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  parser.add_option("--tolerance", wanted->tolerance, "Relative decrease of the cost that ends the fit (default 1e-3)")
      ->type_name("T")
      ->check(number_within(1e-12, 1.0));
  add_set(parser, *options);
  add_threads(parser, *options);
  add_printing(parser, *options);
  parser.footer(help_footer_on_claims(
      "  pithball-lab bench fit\n  pithball-lab bench fit --vertices 400 --solver lbfgs --json\n"
      "  pithball-lab bench fit --set simulation.integrator=velocity_verlet --set simulation.time_step=0.0025",
      "Every spring of a stretched, plucked membrane has its own stiffness; all are fitted, starting from one value, "
      "to a\n"
      "recording simulated by another integrator at an eighth of the time step. docs/search.md explains the numbers."));
  return [=] { return bench_fit(*wanted, *options); };
}

}  // namespace pithball::experiments
