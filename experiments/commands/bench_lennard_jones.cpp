#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "app/backend/lammps.hpp"
#include "app/base/json_text.hpp"
#include "app/base/progress.hpp"
#include "experiments/bench/lennard_jones_bench.hpp"
#include "experiments/commands/lab_commands.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

using nlohmann::ordered_json;

struct LennardJonesBenchWanted {
  Melt melt;
  int repeats = 3;
};

ordered_json to_json(const MeltRow& row, const MeltRow& own) {
  return {{"program", row.program},
          {"seconds_per_step", row.seconds_per_step},
          {"wall_seconds_per_step", row.wall_per_step},
          {"lists", row.lists},
          {"potential_energy", number_or_null(row.potential_energy)},
          {"energy_difference", number_or_null(melt_difference(own, row))},
          {"own_time_over_this", number_or_null(own.seconds_per_step / row.seconds_per_step)}};
}

/// Claims that our run completes and that LAMMPS, if installed, reaches the same energy by our rule for neighbor lists.
std::vector<Claim> claims_of(const Melt& melt, const std::vector<MeltRow>& rows, const std::string& skipped) {
  std::vector<Claim> claims{
      claim_word("the run", sim::to_string(rows.front().status), "ok", "all steps are completed")};
  double difference = NAN;
  for (const MeltRow& row : rows)
    if (row.program == "lmp") difference = melt_difference(rows.front(), row);
  Claim same = claim_same_melt(melt, difference);
  same.skipped = skipped;
  claims.push_back(std::move(same));
  return claims;
}

int bench_lennard_jones(const LennardJonesBenchWanted& wanted, const CommonOptions& options) {
  std::filesystem::path lammps;
  std::string skipped;
  try {
    lammps = find_lammps();
  } catch (const InvalidArgument& absent) {
    skipped = absent.what();
  }
  const MeltTurn rows = [&] {
    Progress bar("bench lennard_jones", 1, !options.quiet);
    bar.update(0);
    return fastest_of(measure_melt(wanted.melt, lammps, wanted.repeats, [&](double share) { bar.update(share); }));
  }();
  const MeltRow& own = rows.front();
  ordered_json json{{"bench", "lennard_jones"},
                    {"particles", wanted.melt.particles()},
                    {"steps", wanted.melt.steps},
                    {"cutoff", Melt::cutoff},
                    {"skin", Melt::skin},
                    {"time_step", Melt::time_step},
                    {"threads", 1},
                    {"repeats", wanted.repeats},
                    {"status", sim::to_string(own.status)},
                    {"total_energy_change", number_or_null(own.total_energy_change)},
                    {"rows", ordered_json::array()},
                    {"lmp_skipped", skipped.empty() ? ordered_json(nullptr) : ordered_json(skipped)}};
  std::string text = fmt::format(
      "{} Lennard-Jones particles melt in open space, {} steps of velocity Verlet, one thread, fastest of {} runs\n"
      "\n",
      wanted.melt.particles(), wanted.melt.steps, wanted.repeats);
  text += fmt::format("  {:<14} {:>12} {:>10} {:>7} {:>18} {:>12} {:>12}\n", "program", "ms per step", "ms (wall)",
                      "lists", "potential energy", "difference", "Pithball / this");
  for (const MeltRow& row : rows) {
    json["rows"].push_back(to_json(row, own));
    text += fmt::format("  {:<14} {:>12.3f} {:>10.3f} {:>7} {:>18.8f} {:>12.1e} {:>12.2f}\n", row.program,
                        1e3 * row.seconds_per_step, 1e3 * row.wall_per_step, row.lists, row.potential_energy,
                        melt_difference(own, row), own.seconds_per_step / row.seconds_per_step);
  }
  text += fmt::format("  total energy: changed by {:.1e} of the initial kinetic energy\n", own.total_energy_change);
  if (!skipped.empty()) text += "  lmp skipped: " + skipped + "\n";
  return print_with_claims(options, json, text, claims_of(wanted.melt, rows, skipped));
}

}  // namespace

Action declare_lennard_jones_bench(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<LennardJonesBenchWanted>();
  parser.add_option("--cells", wanted->melt.cells, "Lattice cells along each edge, four particles each (default 20)")
      ->type_name("N")
      ->check(CLI::Range(2, 200));
  parser.add_option("--steps", wanted->melt.steps, "Number of steps of 0.005 (default 100)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  parser
      .add_option("--repeats", wanted->repeats, "Number of runs of each program; the fastest is reported (default 3)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  add_printing(parser, *options);
  parser.footer(help_footer_on_claims(
      "  pithball-lab bench lennard_jones\n  pithball-lab bench lennard_jones --cells 10 --repeats 1 --json",
      "LAMMPS's benchmark bench/in.lj (density 0.8442, T = 1.44, cutoff 2.5, skin 0.3) without periodic boundaries, "
      "from\n"
      "the same state with both programs. Times are processor times of the integration alone. `lmp` rebuilds neighbor "
      "lists\n"
      "by Pithball's rule, when a particle has moved by half the skin; `lmp_every_20` rebuilds them every 20 steps, as "
      "in.lj\n"
      "does. Without LAMMPS (`lmp` on PATH, or PITHBALL_LAMMPS) its rows are skipped, with a note."));
  return [=] { return bench_lennard_jones(*wanted, *options); };
}

}  // namespace pithball::experiments
