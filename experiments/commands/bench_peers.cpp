#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/base/json_text.hpp"
#include "app/base/progress.hpp"
#include "app/base/version.hpp"
#include "experiments/bench/peers/comparison.hpp"
#include "experiments/claim/claim_report.hpp"
#include "experiments/commands/lab_commands.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

using nlohmann::ordered_json;

struct PeersBenchWanted {
  std::vector<std::string> works;
  int repeats = 0;
  bool quick = false;
};

ordered_json to_json(const PeerRow& row) {
  return {{"work", row.work},
          {"peer", row.peer},
          {"version", text_or_null(row.version)},
          {"skipped", text_or_null(row.skipped)},
          {"error_of", text_or_null(row.errors.of)},
          {"error", number_or_null(row.errors.own)},
          {"peer_error", number_or_null(row.errors.theirs)},
          {"seconds", number_or_null(row.times.own)},
          {"peer_seconds", number_or_null(row.times.theirs)},
          {"peer_time_over_own", number_or_null(row.times.ratio)},
          {"goal", row.goal}};
}

std::string significant(double value, int digits) {
  return std::isnan(value) ? "" : fmt::format("{:.{}g}", value, digits);
}

std::vector<std::string> cells_of(const PeerRow& row) {
  return {"| " + row.work,
          "| " + row.peer + (row.version.empty() ? "" : " " + row.version),
          "| " + significant(row.errors.own, 2),
          "| " + significant(row.errors.theirs, 2),
          "| " + significant(row.times.own, 3),
          "| " + significant(row.times.theirs, 3),
          "| " + (row.skipped.empty() ? significant(row.times.ratio, 3) : "skipped"),
          "| " + significant(row.goal, 3) + " |"};
}

/// Returns a Markdown table, as in docs/peers.md.
std::string to_text(const std::vector<PeerRow>& rows) {
  std::vector<std::vector<std::string>> lines{
      {"| work", "| peer", "| our error", "| its error", "| our time, s", "| its time, s", "| its time / ours",
       "| goal |"},
      {"| ---", "| ---", "| ---", "| ---", "| ---", "| ---", "| ---", "| --- |"}};
  for (const PeerRow& row : rows) lines.push_back(cells_of(row));
  std::string text;
  for (const std::string& line : aligned_lines(lines)) text += line;
  for (const PeerRow& row : rows)
    if (!row.skipped.empty()) text += fmt::format("\n{} skipped: {}", row.peer, row.skipped);
  return text + "\n";
}

int bench_peers(const PeersBenchWanted& wanted, const CommonOptions& options) {
  PeerSizes sizes = wanted.quick ? quick_sizes() : PeerSizes{};
  if (wanted.repeats > 0) sizes.repeats = wanted.repeats;
  std::vector<PeerRow> rows;
  {
    const OneProcessor both;
    Progress bar("bench peers", static_cast<double>(wanted.works.size()), !options.quiet);
    double done = 0;
    for (const PeerWork& work : peer_works()) {
      if (std::ranges::count(wanted.works, work.name) == 0) continue;
      bar.update(done++);
      const std::vector<PeerRow> more = work.compare(sizes);
      rows.insert(rows.end(), more.begin(), more.end());
    }
  }
  ordered_json json{{"bench", "peers"},
                    {"version", version},
                    {"processors", 1},
                    {"repeats", sizes.repeats},
                    {"rows", ordered_json::array()}};
  std::vector<Claim> claims;
  for (const PeerRow& row : rows) {
    json["rows"].push_back(to_json(row));
    claims.insert(claims.end(), row.same.begin(), row.same.end());
  }
  return print_with_claims(
      options, json,
      fmt::format("Pithball {}, one processor for all programs, processor times, medians of {} turns\n\n", version,
                  sizes.repeats) +
          to_text(rows),
      claims);
}

}  // namespace

Action declare_peers_bench(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<PeersBenchWanted>();
  std::string known;
  for (const PeerWork& work : peer_works()) {
    wanted->works.push_back(work.name);
    known += fmt::format("  {:<10} {}\n", work.name, work.summary);
  }
  parser.add_option("--works", wanted->works, "Works to compare (default: all)")
      ->delimiter(',')
      ->type_name("NAME,...")
      ->check(CLI::IsMember(wanted->works));
  parser.add_option("--repeats", wanted->repeats, "Turns of each pair of programs (default 5; with --quick 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  parser.add_flag("--quick", wanted->quick, "Small works, which take seconds");
  add_printing(parser, *options);
  parser.footer(help_footer_on_claims(
      "  pithball-lab bench peers\n  pithball-lab bench peers --works charges,melt --repeats 3 --json",
      "The same work by Pithball and by other programs, in turns, after compilation, all on one processor:\n" + known +
          "Claims are that the work was the same; times are only reported. `make peers` installs MuJoCo, JAX, JAX MD\n"
          "and fmm3dpy in build/peers (PITHBALL_PEERS_PYTHON names another Python), `make baselines` LAMMPS. What is\n"
          "missing is skipped by name. docs/peers.md has the results."));
  return [=] { return bench_peers(*wanted, *options); };
}

}  // namespace pithball::experiments
