#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>

#include "app/base/json_text.hpp"
#include "app/base/progress.hpp"
#include "experiments/bench/neighbor_bench.hpp"
#include "experiments/claim/statistics.hpp"
#include "experiments/commands/lab_commands.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

using nlohmann::ordered_json;

struct NeighborBenchWanted {
  std::vector<Index> points{10000, 30000, 100000, 300000, 1000000};
  std::vector<std::string> methods;  // empty: all
  double neighbors = 55;
  int repeats = 3;
};

ordered_json to_json(const NeighborRow& row) {
  return {{"method", row.method},   {"points", row.points},    {"pairs", row.pairs},
          {"seconds", row.seconds}, {"cells", row.cost.cells}, {"bytes", row.cost.bytes}};
}

std::string to_text(const NeighborRow& row) {
  return fmt::format("  {:<12} {:>9} {:>11} {:>11.5f} {:>9.3f} {:>9} {:>9.2f}\n", row.method, row.points, row.pairs,
                     row.seconds, 1e6 * row.seconds / row.points, row.cost.cells,
                     static_cast<double>(row.cost.bytes) / (1 << 20));
}

/// Claims that the methods find the same number of pairs, for each cloud that is searched by several methods.
std::vector<Claim> claims_of(const std::vector<NeighborRow>& rows) {
  std::map<Index, std::pair<Worst, int>> pairs;  // and number of methods, by number of points
  for (const NeighborRow& row : rows) {
    auto& [found, methods] = pairs[row.points];
    found.add(row.pairs);
    ++methods;
  }
  std::vector<Claim> claims;
  for (const auto& [points, found] : pairs)
    if (found.second > 1)
      claims.push_back(
          claim_within(fmt::format("{} points, largest number of pairs among {} methods", points, found.second),
                       found.first.largest(), found.first.smallest(), 0, "",
                       "the smallest number: all methods find the same pairs"));
  return claims;
}

int bench_neighbors(const NeighborBenchWanted& wanted, const CommonOptions& options) {
  // A point has density · 4π/3 neighbors within 1 m.
  const double density = wanted.neighbors / (4 * std::numbers::pi / 3);
  std::vector<NeighborRow> rows;
  {
    Progress bar("bench neighbors", wanted.points.size(), !options.quiet);
    for (std::size_t k = 0; k < wanted.points.size(); ++k) {
      bar.update(k);
      auto methods = timed_methods(wanted.points[k]);
      if (!wanted.methods.empty())
        std::erase_if(methods, [&](const std::string& name) { return std::ranges::count(wanted.methods, name) == 0; });
      for (NeighborRow& row : measure_neighbors(wanted.points[k], density, methods, wanted.repeats))
        rows.push_back(std::move(row));
    }
  }
  ordered_json json{{"bench", "neighbors"},          {"neighbors_per_point", wanted.neighbors},
                    {"repeats", wanted.repeats},     {"threads", 1},
                    {"rows", ordered_json::array()}, {"exponents", ordered_json::object()}};
  std::string text =
      fmt::format("one thread, {} neighbors per point, shortest processor time of at least {} searches\n\n",
                  wanted.neighbors, wanted.repeats) +
      fmt::format("  {:<12} {:>9} {:>11} {:>11} {:>9} {:>9} {:>9}\n", "method", "points", "pairs", "seconds",
                  "us/point", "cells", "MiB");
  for (const NeighborRow& row : rows) {
    json["rows"].push_back(to_json(row));
    text += to_text(row);
  }
  text += "\n";
  for (const std::string& method : timed_methods(0)) {
    const double exponent = cost_exponent(rows, method);
    json["exponents"][method] = number_or_null(exponent);
    if (std::isfinite(exponent)) text += fmt::format("  {:<12} seconds ~ points^{:.3f}\n", method, exponent);
  }
  return print_with_claims(options, json, text, claims_of(rows));
}

}  // namespace

Action declare_neighbor_bench(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<NeighborBenchWanted>();
  parser.add_option("--points", wanted->points, "Numbers of points (default 10000,30000,100000,300000,1000000)")
      ->delimiter(',')
      ->type_name("LIST")
      ->check(CLI::Range(2, 100000000));
  parser.add_option("--methods", wanted->methods, "Methods (default all; brute_force up to 20,000 points)")
      ->delimiter(',')
      ->type_name("LIST")
      ->check(CLI::IsMember(timed_methods(0)));
  parser
      .add_option("--neighbors", wanted->neighbors, "Mean number of neighbors of a point (default 55, as in a liquid)")
      ->type_name("K")
      ->check(number_within(0.01, 1000.0));
  parser
      .add_option("--repeats", wanted->repeats,
                  "Smallest number of searches with each method; the fastest is reported (default 3)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  add_printing(parser, *options);
  parser.footer(help_footer_on_claims(
      "  pithball-lab bench neighbors\n  pithball-lab bench neighbors --points 1000,10000 --neighbors 5 --json",
      "Finds all pairs of uniformly distributed points closer than a cutoff, with every method; the points are in "
      "random\n"
      "order. The exponent is the slope of log time over log number of points, by least squares. `sph` is one "
      "evaluation of\n"
      "SPH forces. docs/interactions.md explains the methods."));
  return [=] { return bench_neighbors(*wanted, *options); };
}

}  // namespace pithball::experiments
