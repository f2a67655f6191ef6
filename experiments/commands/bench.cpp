#include <fmt/format.h>

#include <memory>
#include <utility>

#include "app/base/progress.hpp"
#include "app/experiment/experiment_file.hpp"
#include "diff/check/gradient_check.hpp"
#include "experiments/bench/fit_bench.hpp"
#include "experiments/commands/lab_commands.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

using nlohmann::ordered_json;

/// Returns the charged torus of the figures in the README; 2,000 particles with the default segments.
ExperimentDocument default_document(const std::string& segments) {
  const std::string text = fmt::format(R"(
name: bench-torus
system:
  mesh: {{torus: {{major_radius: 4, minor_radius: 1.5, segments: [{}]}}}}
  mass: {{total: 20}}
  charge: {{total: 100 uC}}
  springs: {{stiffness: 1000, damping: 0.01}}
forces: [coulomb]
simulation: {{integrator: imex_midpoint, time_step: 0.01, duration: 1}}
)",
                                       segments);
  return {parse_yaml(text, "bench"), std::filesystem::current_path()};
}

ExperimentDocument document_of(const std::string& file, const std::string& segments, const CommonOptions& options) {
  if (!file.empty()) return load_document(file, options);
  ExperimentDocument document = default_document(segments);
  apply_set(options, document);
  return document;
}

ordered_json to_json(const PassFigures& pass, Index steps) {
  const double n = steps;
  return {{"seconds", pass.seconds},
          {"seconds_per_step", pass.seconds / n},
          {"linear_solves_per_step", pass.cost.linear_solves / n},
          {"cg_iterations_per_step", pass.cost.cg_iterations / n},
          {"coulomb_evaluations_per_step", pass.cost.force_evaluations / n}};
}

std::string to_text(const std::string& name, const PassFigures& pass, Index steps) {
  const double n = steps;
  return fmt::format(
      "  {:<26} {:>9.3f} ms per step {:>7.2f} linear solves {:>7.1f} iterations {:>6.2f} force evaluations\n", name,
      1e3 * pass.seconds / n, pass.cost.linear_solves / n, pass.cost.cg_iterations / n,
      pass.cost.force_evaluations / n);
}

struct BenchOptions {
  std::string what, file, segments = "100, 20";
  int repeats = 3;
};

int bench(const BenchOptions& wanted, const CommonOptions& options) {
  const int threads = use_threads(options);
  const Experiment experiment = read_experiment(document_of(wanted.file, wanted.segments, options));
  const diff::Scenario& scenario = experiment.scenario;
  const GradientFigures figures = [&] {
    Progress bar("bench " + wanted.what, 1, !options.quiet);
    return measure(scenario, experiment.memory_budget_mb, wanted.repeats, wanted.what == "gradient",
                   [&](double share) { bar.update(share); });
  }();
  ordered_json json{{"bench", wanted.what},
                    {"particles", scenario.model.particles()},
                    {"springs", scenario.model.springs().size()},
                    {"steps", figures.steps},
                    {"integrator", scenario.integrator.name()},
                    {"time_step", scenario.time_step},
                    {"threads", threads},
                    {"repeats", wanted.repeats},
                    {"status", sim::to_string(figures.status)},
                    {"forward", to_json(figures.forward, figures.steps)}};
  std::string text =
      fmt::format("{} particles, {} springs, {} steps, {}, threads: {}, best of {}\n", scenario.model.particles(),
                  scenario.model.springs().size(), figures.steps, scenario.integrator.name(), threads, wanted.repeats);
  text += to_text("forward", figures.forward, figures.steps);
  if (wanted.what == "gradient") {
    json["parameters"] = figures.parameters;
    json["recording"] = to_json(figures.recording, figures.steps);
    json["adjoint"] = to_json(figures.adjoint, figures.steps);
    json["gradient_over_forward"] = figures.ratio();
    text += to_text("forward with tape", figures.recording, figures.steps) +
            to_text("adjoint", figures.adjoint, figures.steps);
    text += fmt::format("  gradient of {} values costs {:.2f} forward runs\n", figures.parameters, figures.ratio());
  }
  std::vector<Claim> claims{claim_word("the run", sim::to_string(figures.status), "ok", "all steps are completed")};
  if (wanted.what == "gradient")
    claims.push_back(claim_at_most("relative difference of adjoint and tangent", figures.disagreement,
                                   diff::GradientCheckOptions{}.tangent_tolerance, "",
                                   "as of check-gradient: both are exact up to their linear solves"));
  return print_with_claims(options, json, text, claims);
}

/// `bench step` and `bench gradient`.
Action declare_run_bench(CLI::App& parser, const std::string& what) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<BenchOptions>();
  wanted->what = what;
  parser
      .add_option("FILE", wanted->file, "The experiment file (default: a charged torus of 2,000 particles, 100 steps)")
      ->type_name("FILE.yaml");
  parser.add_option("--segments", wanted->segments, "Segments of the default torus, around axis and tube")
      ->type_name("A,B");
  parser.add_option("--repeats", wanted->repeats, "Number of runs of each pass; the fastest is reported")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  add_set(parser, *options);
  add_threads(parser, *options);
  add_printing(parser, *options);
  parser.footer(help_footer_on_claims(
      fmt::format("  pithball-lab bench {0} --json\n  pithball-lab bench {0} --segments 50,10 --set "
                  "simulation.linear_solver=cholesky",
                  what)));
  return [=] { return bench(*wanted, *options); };
}

}  // namespace

Action declare_bench(CLI::App& parser) {
  parser.require_subcommand(1);
  std::vector<std::pair<CLI::App*, Action>> benches;
  CLI::App* step = parser.add_subcommand("step", "forward runs");
  benches.emplace_back(step, declare_run_bench(*step, "step"));
  CLI::App* gradient = parser.add_subcommand("gradient", "forward runs and both adjoint passes");
  benches.emplace_back(gradient, declare_run_bench(*gradient, "gradient"));
  CLI::App* coulomb = parser.add_subcommand("coulomb", "Coulomb methods: time and error");
  benches.emplace_back(coulomb, declare_coulomb_bench(*coulomb));
  CLI::App* cloth = parser.add_subcommand("cloth", "time steps of a charged cloth: method auto and plain loops");
  benches.emplace_back(cloth, declare_cloth_bench(*cloth));
  CLI::App* fit = parser.add_subcommand("fit", "fit of the stiffness of every spring of a membrane");
  benches.emplace_back(fit, declare_fit_bench(*fit));
  CLI::App* recovery =
      parser.add_subcommand("recovery", "fits with known charges and stiffnesses: errors and coverage");
  benches.emplace_back(recovery, declare_recovery_bench(*recovery));
  CLI::App* nets = parser.add_subcommand("nets", "fits of the single stiffnesses of many nets");
  benches.emplace_back(nets, declare_net_bench(*nets));
  CLI::App* coverage =
      parser.add_subcommand("coverage", "coverage of the confidence intervals with several kinds of noise");
  benches.emplace_back(coverage, declare_coverage_bench(*coverage));
  CLI::App* diagnosis = parser.add_subcommand("diagnosis", "what diagnoses of fits with a made fault find");
  benches.emplace_back(diagnosis, declare_diagnosis_bench(*diagnosis));
  CLI::App* neighbors =
      parser.add_subcommand("neighbors", "neighbor search: all pairs closer than a cutoff, with every method");
  benches.emplace_back(neighbors, declare_neighbor_bench(*neighbors));
  CLI::App* lennard_jones =
      parser.add_subcommand("lennard_jones", "time steps of a melt of 32,000 particles, compared with LAMMPS");
  benches.emplace_back(lennard_jones, declare_lennard_jones_bench(*lennard_jones));
  CLI::App* peers =
      parser.add_subcommand("peers", "the same work by other programs: MuJoCo, JAX, JAX MD, FMM3D, LAMMPS");
  benches.emplace_back(peers, declare_peers_bench(*peers));
  CLI::App* film =
      parser.add_subcommand("film", "spots of drawn films: bias, scatter over stated error, time for a frame");
  benches.emplace_back(film, declare_film_bench(*film));
  parser.footer(help_footer_on_claims(
      "  pithball-lab bench gradient --json\n  pithball-lab bench coulomb\n  pithball-lab bench coulomb --help"));
  return [=] {
    for (const auto& [sub, action] : benches)
      if (sub->parsed()) return action();
    return static_cast<int>(InputWrong);
  };
}

}  // namespace pithball::experiments
