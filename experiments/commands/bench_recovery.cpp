#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "app/base/json_text.hpp"
#include "app/base/progress.hpp"
#include "experiments/bench/recovery_bench.hpp"
#include "experiments/commands/lab_commands.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

using nlohmann::ordered_json;

struct RecoveryBenchOptions {
  std::string body = "small";
  std::vector<double> noise{0, 0.01, 0.05}, missing{0, 0.6};
  int repetitions = 200;
  std::uint64_t seed = 1;
};

std::string printed_share(double share) { return std::isfinite(share) ? fmt::format("{:.1f} %", 100 * share) : "-"; }

ordered_json to_json(const RecoveryCase& spoilt, const RecoveryFigures& figures) {
  return {{"noise", spoilt.noise},
          {"missing", spoilt.missing},
          {"repetitions", figures.repetitions},
          {"converged", figures.converged},
          {"charge_error", figures.charge_error},
          {"stiffness_error", figures.stiffness_error},
          {"identifiable", number_or_null(figures.identifiable_share)},
          {"coverage", number_or_null(figures.coverage)},
          {"seconds", figures.seconds},
          {"errors",
           {{"seconds", number_or_null(figures.error_seconds)},
            {"share", number_or_null(figures.error_share)},
            {"products", figures.error_products}}},
          {"evaluations",
           {{"forward", figures.evaluations.forward},
            {"tangent", figures.evaluations.tangent},
            {"adjoint", figures.evaluations.adjoint}}}};
}

int bench_recovery(const RecoveryBenchOptions& wanted, const CommonOptions& options) {
  const int threads = use_threads(options);
  const RecoveryBody body = make_recovery_body(wanted.body);
  const diff::Scenario& scenario = body.experiment.scenario;
  ordered_json json{{"bench", "recovery"},
                    {"body", body.name},
                    {"particles", scenario.model.particles()},
                    {"springs", scenario.model.springs().size()},
                    {"steps", scenario.steps},
                    {"integrator", scenario.integrator.name()},
                    {"time_step", scenario.time_step},
                    {"rate", body.rate},
                    {"mean_edge", body.mean_edge},
                    {"threads", threads},
                    {"rows", ordered_json::array()}};
  std::string text =
      fmt::format("{}: {} charges and {} stiffnesses, {} steps by {}, threads: {}\n\n", body.name,
                  scenario.model.particles(), scenario.model.springs().size(), scenario.steps,
                  scenario.integrator.name(), threads) +
      fmt::format("  {:>7} {:>8} {:>5} {:>10} {:>12} {:>15} {:>12} {:>9} {:>9}\n", "noise", "missing", "fits",
                  "converged", "charge error", "stiffness error", "identifiable", "coverage", "seconds");
  std::vector<Claim> claims;
  Progress bar("bench recovery", 1, !options.quiet);
  bar.update(0);
  const double cases = wanted.noise.size() * wanted.missing.size();
  for (const double noise : wanted.noise)
    for (const double missing : wanted.missing) {
      const RecoveryCase spoilt{noise, missing};
      const double before = json["rows"].size();
      const RecoveryFigures figures =
          measure_recovery(body, spoilt, noise == 0 && missing == 0 ? 1 : wanted.repetitions, wanted.seed,
                           [&](double share) { bar.update((before + share) / cases); });
      for (Claim& claim : recovery_claims(spoilt, figures)) claims.push_back(std::move(claim));
      json["parameters"] = figures.parameters;
      json["rows"].push_back(to_json(spoilt, figures));
      text += fmt::format("  {:>7} {:>8} {:>5} {:>10} {:>12.2e} {:>15.2e} {:>12} {:>9} {:>9.3g}\n",
                          printed_share(noise), printed_share(missing), figures.repetitions, figures.converged,
                          figures.charge_error, figures.stiffness_error, printed_share(figures.identifiable_share),
                          printed_share(figures.coverage), figures.seconds);
      if (std::isfinite(figures.error_seconds))
        text += fmt::format(
            "          sampled standard errors: {:.3g} s, {} of the fit; {:.0f} products with J and its transpose\n",
            figures.error_seconds, printed_share(figures.error_share), figures.error_products);
    }
  return print_with_claims(options, json, text, claims);
}

}  // namespace

Action declare_recovery_bench(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<RecoveryBenchOptions>();
  parser.add_option("--body", wanted->body, "Body: small (12 vertices, the default), torus (145) or cloth (2,025)")
      ->check(CLI::IsMember(recovery_bodies()));
  parser
      .add_option(
          "--noise", wanted->noise,
          "Standard deviations of the noise of each coordinate, in units of the mean edge length (default 0 0.01 0.05)")
      ->check(number_within(0.0, 1.0));
  parser.add_option("--missing", wanted->missing, "Fractions of dropped samples (default 0 0.6)")
      ->check(number_within(0.0, 0.99));
  parser.add_option("--repetitions", wanted->repetitions, "Number of fits per case (default 200)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  parser.add_option("--seed", wanted->seed, "Seed of noise and gaps (default 1)")
      ->type_name("N")
      ->check(whole_number());
  add_threads(parser, *options);
  add_printing(parser, *options);
  parser.footer(help_footer_on_claims(
      "  pithball-lab bench recovery --json\n  pithball-lab bench recovery --repetitions 20\n  pithball-lab bench "
      "recovery --body torus --repetitions 3",
      "Simulates a charged body with known charges and stiffnesses near a known point charge (velocity Verlet at a "
      "tenth of\n"
      "the fit's step), adds noise and gaps to the recording, and fits the charge of every vertex and the stiffness of "
      "every\n"
      "spring, starting from one value for each kind and without priors. Errors are medians of |estimate/truth - 1|;\n"
      "coverage is the fraction of 95 % intervals that contain the true value, over the parameters that are "
      "identifiable at\n"
      "the true values: the predicted interval is within a factor 4 on either side. Without noise no coverage is "
      "given,\n"
      "because only the discretization error remains. 200 fits of each case take about 80 minutes on two "
      "cores, most\n"
      "of it for the noise of 0.05."));
  return [=] { return bench_recovery(*wanted, *options); };
}

}  // namespace pithball::experiments
