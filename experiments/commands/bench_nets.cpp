#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/base/progress.hpp"
#include "experiments/bench/net_bench.hpp"
#include "experiments/commands/lab_commands.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

using nlohmann::ordered_json;

struct NetBenchWanted {
  int first = 0;
  NetBenchOptions nets;
};

/// Ratio of χ² to that of the true values above which a fit has ended in another minimum.
constexpr double most_of_truth = 1.01;
constexpr double most_net_runs = 3000;

bool net_arrived(const NetFigures& net) {
  return net.fits && net.chi_square <= most_of_truth && net.runs <= most_net_runs;
}
bool net_is_wrong(const NetFigures& net) { return net.fits && !(net.chi_square <= most_of_truth); }

ordered_json to_json(const NetFigures& net) {
  return {{"springs", net.springs},       {"status", net.status}, {"fits", net.fits},
          {"chi_square", net.chi_square}, {"runs", net.runs},     {"iterations", net.iterations},
          {"determined", net.determined}, {"held", net.held},     {"seconds", net.seconds}};
}

std::string to_text(const NetFigures& net) {
  return fmt::format("  {:>7} {:>16} {:>10.4f} {:>8.0f} {:>10} {:>10} {:>8} {:>8.1f}\n", net.springs, net.status,
                     net.chi_square, net.runs, net.iterations, net.determined, net.held, net.seconds);
}

std::vector<Claim> claims_of(const std::vector<NetFigures>& nets) {
  const double count = static_cast<double>(nets.size());
  double determined = 0, held = 0;
  for (const NetFigures& net : nets) {
    determined += net.determined;
    held += net.held;
  }
  std::vector<Claim> claims{
      claim_at_least("nets that arrive", static_cast<double>(std::ranges::count_if(nets, net_arrived)),
                     std::floor(0.96 * count), "",
                     fmt::format("accepted within {:.0f} forward runs, at no more than {} of the χ² of the true values",
                                 most_net_runs, most_of_truth)),
      claim_at_most("nets accepted in another minimum", static_cast<double>(std::ranges::count_if(nets, net_is_wrong)),
                    0, "", "none")};
  if (determined > 0)
    claims.push_back(claim_within("intervals (95 %) that hold the truth", held / determined, 0.95, 0.02, "",
                                  fmt::format("of {:.0f} values that their recordings determine", determined)));
  return claims;
}

int bench_nets(NetBenchWanted wanted, const CommonOptions& options) {
  const int threads = use_threads(options);
  std::vector<NetFigures> nets;
  std::string text = fmt::format("nets of single stiffnesses, {}, threads: {}\n\n", wanted.nets.solver, threads) +
                     fmt::format("  {:>7} {:>16} {:>10} {:>8} {:>10} {:>10} {:>8} {:>8}\n", "springs", "status",
                                 "chi/truth", "runs", "iterations", "determined", "held", "seconds");
  ordered_json json{{"bench", "nets"},          {"solver", wanted.nets.solver},
                    {"seed", wanted.nets.seed}, {"noise", wanted.nets.noise},
                    {"threads", threads},       {"rows", ordered_json::array()}};
  {
    Progress bar("bench nets", wanted.nets.nets, !options.quiet);
    for (int n = 0; n < wanted.nets.nets; ++n) {
      bar.update(n);
      nets.push_back(measure_net(wanted.first + n, wanted.nets));
      json["rows"].push_back(to_json(nets.back()));
      text += to_text(nets.back());
    }
  }
  return print_with_claims(options, json, text, claims_of(nets));
}

}  // namespace

Action declare_net_bench(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<NetBenchWanted>();
  std::vector<std::string> solvers = optim::minimizers().names();
  solvers.insert(solvers.begin(), optim::automatic_minimizer);
  parser.add_option("--nets", wanted->nets.nets, "Number of nets (default 50)")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  parser.add_option("--first", wanted->first, "Number of the first net (default 0)")
      ->type_name("N")
      ->check(CLI::Range(0, 100000));
  parser.add_option("--noise", wanted->nets.noise, "Standard deviation of each coordinate in m (default 0.001)")
      ->type_name("S")
      ->check(number_within(1e-9, 1.0));
  parser.add_option("--solver", wanted->nets.solver, "Solver of the fits (default auto)")
      ->check(CLI::IsMember(solvers));
  parser.add_option("--seed", wanted->nets.seed, "Seed of true values and noise (default 1)")
      ->type_name("N")
      ->check(whole_number());
  add_threads(parser, *options);
  add_printing(parser, *options);
  parser.footer(help_footer_on_claims(
      "  pithball-lab bench nets --json\n  pithball-lab bench nets --nets 5 --solver levenberg_marquardt",
      "Fits the stiffness of every spring of hanging nets of 55 to 181 springs, whose true values scatter by 30 % "
      "about\n"
      "10 N/m, from 15 N/m for all, without priors. A Jacobian counts as the forward runs that take as long."));
  return [=] { return bench_nets(*wanted, *options); };
}

}  // namespace pithball::experiments
