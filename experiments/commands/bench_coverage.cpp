#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/base/json_text.hpp"
#include "app/base/progress.hpp"
#include "experiments/bench/coverage_bench.hpp"
#include "experiments/commands/lab_commands.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

using nlohmann::ordered_json;

struct CoverageBenchOptions {
  std::vector<std::string> cases;
  int recordings = 1000;
  std::uint64_t seed = 1;
};

ordered_json to_json(const CoverageCase& wanted, const CoverageFigures& figures) {
  ordered_json parameters = ordered_json::array();
  for (std::size_t k = 0; k < figures.parameters.size(); ++k)
    parameters.push_back({{"name", figures.parameters[k]}, {"coverage", figures.coverage(k)}});
  return {{"case", wanted.name},
          {"body", wanted.body},
          {"recordings", figures.recordings},
          {"converged", figures.converged},
          {"alarmed", figures.alarmed},
          {"statuses", figures.statuses},
          {"named", figures.named},
          {"first_alarm", text_or_null(figures.first_alarm)},
          {"parameters", parameters}};
}

/// Returns the cases with these names; all cases if there are no names.
std::vector<CoverageCase> chosen_cases(const std::vector<std::string>& names) {
  if (names.empty()) return coverage_cases();
  std::vector<CoverageCase> chosen;
  for (const CoverageCase& one : coverage_cases())
    if (std::ranges::find(names, one.name) != names.end()) chosen.push_back(one);
  return chosen;
}

int bench_coverage(const CoverageBenchOptions& wanted, const CommonOptions& options) {
  const int threads = use_threads(options);
  ordered_json json{{"bench", "coverage"}, {"threads", threads}, {"rows", ordered_json::array()}};
  std::string text = fmt::format("  {:<28} {:<8} {:>10} {:>9} {:>8}   {}\n", "case", "body", "recordings", "converged",
                                 "alarmed", "coverage of the intervals");
  std::vector<Claim> claims;
  Progress bar("bench coverage", 1, !options.quiet);
  bar.update(0);
  const std::vector<CoverageCase> cases = chosen_cases(wanted.cases);
  for (const CoverageCase& one : cases) {
    const double before = json["rows"].size();
    const CoverageFigures figures = measure_coverage(
        one, wanted.recordings, wanted.seed, [&](double share) { bar.update((before + share) / cases.size()); });
    for (Claim& claim : coverage_claims(one, figures)) claims.push_back(std::move(claim));
    json["rows"].push_back(to_json(one, figures));
    text += fmt::format("  {:<28} {:<8} {:>10} {:>9} {:>8}  ", one.name, one.body, figures.recordings,
                        figures.converged, figures.alarmed);
    for (std::size_t k = 0; k < figures.parameters.size(); ++k)
      text += fmt::format(" {} {:.1f} %", figures.parameters[k], 100 * figures.coverage(k));
    text += "\n";
  }
  return print_with_claims(options, json, text, claims);
}

}  // namespace

Action declare_coverage_bench(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<CoverageBenchOptions>();
  std::vector<std::string> names;
  for (const CoverageCase& one : coverage_cases())
    if (names.empty() || names.back() != one.name) names.push_back(one.name);  // cases of one name are adjacent
  parser.add_option("--cases", wanted->cases, "Cases to run (default: all)")
      ->type_name("NAME")
      ->check(CLI::IsMember(names));
  parser.add_option("--recordings", wanted->recordings, "Number of simulated recordings per case (default 1000)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  parser.add_option("--seed", wanted->seed, "Seed of the noise (default 1)")->type_name("N")->check(whole_number());
  add_threads(parser, *options);
  add_printing(parser, *options);
  parser.footer(help_footer_on_claims(
      "  pithball-lab bench coverage --recordings 100\n  pithball-lab bench coverage --cases 'free start' --json",
      "Simulates four small bodies (velocity Verlet at a tenth of the fit's step), records them at 50 frames per\n"
      "second, adds noise, and fits two or three values of each. Counts the 95 % intervals that contain the true "
      "value, and "
      "the\n"
      "fits with a warning."));
  return [=] { return bench_coverage(*wanted, *options); };
}

}  // namespace pithball::experiments
