#include <fmt/format.h>

#include <memory>

#include "app/base/progress.hpp"
#include "experiments/bench/expansion_bench.hpp"
#include "experiments/commands/lab_commands.hpp"
#include "sim/coulomb/direct/direct_kernel.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

using nlohmann::ordered_json;

struct ExpansionBenchOptions {
  std::vector<double> tolerances{1e-3, 1e-6};
  std::vector<std::string> candidates = expansion_candidates();
  int repeats = 3;
};

ordered_json to_json(const FarListFigures& list) {
  return {{"boxes", list.boxes}, {"seconds_per_translation", list.translation_seconds}, {"seconds", list.seconds()}};
}

ordered_json to_json(const ExpansionRow& row) {
  return {{"candidate", row.candidate},
          {"tolerance", row.tolerance},
          {"order", row.order},
          {"coefficients", row.coefficients},
          {"error", row.error},
          {"target_error", row.target},
          {"volume", to_json(row.volume)},
          {"surface", to_json(row.surface)},
          {"seconds_per_point_to_expansion", row.moments_seconds},
          {"seconds_per_expansion_to_point", row.field_seconds},
          {"matrix_bytes", row.matrix_bytes}};
}

std::string to_text(const std::vector<ExpansionRow>& rows) {
  std::string text;
  double last = 0;
  for (const ExpansionRow& row : rows) {
    if (row.tolerance != last)
      text += fmt::format(
          "\ntolerance {:.0e}, error of a far list {:.1e}\n  {:<22} {:>5} {:>6} {:>8} {:>19} {:>21} {:>17} {:>9}\n"
          "  {:<22} {:>5} {:>6} {:>8} {:>9} {:>9} {:>10} {:>10} {:>8} {:>8} {:>9}\n",
          row.tolerance, row.target, "", "", "", "", "us / translation", "us / box", "us / point", "matrices", "",
          "order", "coeff.", "error", "volume", "surface", "volume", "surface", "to", "from", "MB");
    last = row.tolerance;
    text +=
        fmt::format("  {:<22} {:>5} {:>6} {:>8.1e} {:>9.3f} {:>9.3f} {:>10.1f} {:>10.1f} {:>8.4f} {:>8.4f} {:>9.1f}\n",
                    row.candidate, row.order, row.coefficients, row.error, 1e6 * row.volume.translation_seconds,
                    1e6 * row.surface.translation_seconds, 1e6 * row.volume.seconds(), 1e6 * row.surface.seconds(),
                    1e6 * row.moments_seconds, 1e6 * row.field_seconds, 1e-6 * row.matrix_bytes);
  }
  return text;
}

int bench_expansion(const ExpansionBenchOptions& wanted, const CommonOptions& options) {
  std::vector<ExpansionRow> rows;
  {
    Progress progress("bench expansion", static_cast<double>(wanted.tolerances.size()), !options.quiet);
    for (std::size_t k = 0; k < wanted.tolerances.size(); ++k) {
      progress.update(static_cast<double>(k));
      for (ExpansionRow& row : measure_expansions(wanted.tolerances[k], wanted.candidates, wanted.repeats))
        rows.push_back(std::move(row));
    }
  }
  ordered_json json{{"bench", "expansion"},
                    {"instruction_set", sim::direct::instruction_set()},
                    {"repeats", wanted.repeats},
                    {"rows", ordered_json::array()}};
  for (const ExpansionRow& row : rows) json["rows"].push_back(to_json(row));
  print_result(options, json,
               fmt::format("one thread, {}, least processor time of at least {} turns\n",
                           sim::direct::instruction_set(), wanted.repeats) +
                   to_text(rows));
  return Done;
}

}  // namespace

Action declare_expansion_bench(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<ExpansionBenchOptions>();
  parser.add_option("--tolerance", wanted->tolerances, "Of the fast multipole method (default 1e-3,1e-6)")
      ->delimiter(',')
      ->type_name("LIST")
      ->check(number_within(1e-9, 1e-1));
  parser.add_option("--candidates", wanted->candidates, "Which to compare with `rotated` (default all)")
      ->delimiter(',')
      ->type_name("LIST")
      ->check(CLI::IsMember(expansion_candidates()));
  parser.add_option("--repeats", wanted->repeats, "Turns that each piece gets at least; the least counts")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  add_printing(parser, *options);
  parser.footer(help_footer(
      "  pithball bench expansion\n  pithball bench expansion --tolerance 1e-3,1e-6,1e-9 --json\n"
      "  pithball bench expansion --tolerance 1e-6 --candidates rotated,dense --repeats 20",
      "What `rotated` reaches at a tolerance, the others have to reach too: the error of the field over the far list "
      "of "
      "a box, of 189 boxes in space or\n27 in a layer. Tolerance 1e-9 takes two minutes and 3 GB. "
      "docs/coulomb_expansions.md explains the table."));
  return [=] { return bench_expansion(*wanted, *options); };
}

}  // namespace pithball::experiments
