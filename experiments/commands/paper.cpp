#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "datasets/manifest/manifest.hpp"
#include "experiments/claim/claim.hpp"
#include "experiments/commands/lab_commands.hpp"
#include "experiments/commands/made_list.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

namespace fs = std::filesystem;

struct PaperArguments {
  std::vector<std::string> items;
  std::string list;  ///< empty: the list of the paper itself
  bool quick = false;
  CommonOptions options;
};

/// Returns experiments/paper/claims.yaml of the source tree, or the installed one beside the data manifest.
fs::path find_paper_list() {
  const fs::path beside = fs::path(datasets::find_manifest()).parent_path();
  const fs::path source = beside.parent_path() / "experiments/paper/claims.yaml";
  return fs::exists(source) ? source : beside / "paper/claims.yaml";
}

int run(const PaperArguments& arguments) {
  const CommonOptions& options = arguments.options;
  const ClaimList list = read_claim_list(arguments.list.empty() ? find_paper_list() : fs::path(arguments.list));
  const MadeList made =
      make_list(chosen_items(list.items, arguments.items), {list.title, list.about, "paper", arguments.quick},
                run_target(options, "paper"), options);
  print_result(
      options, made.json,
      list_text(made.results, made.programs) + fmt::format("  report                 {}\n", made.report.string()));
  return made.json["ok"] == true ? Done : NumbersFailed;
}

}  // namespace

Action declare_paper(CLI::App& parser) {
  auto a = std::make_shared<PaperArguments>();
  parser.add_option("ITEM", a->items, "Only these figures and tables: figure_04, table_1, … (default all)");
  parser.add_option("--list", a->list, "Another list of items and claims (default experiments/paper/claims.yaml)")
      ->type_name("FILE.yaml");
  parser.add_flag("--quick", a->quick, "Use shorter and coarser runs: minutes instead of half an hour");
  add_list_folder(parser, a->options, "runs/paper");
  add_threads(parser, a->options);
  add_printing(parser, a->options);
  parser.footer(help_footer(
      "  pithball-lab paper --quick\n  pithball-lab paper figure_04 --out runs/stability\n  pithball-lab paper "
      "--resume",
      "Reproduces the figures and tables of the paper that describes the method (Zhang et al. 2024) with ordinary\n"
      "commands, and compares its statements with the results. Writes a run folder for each run, paper.json with\n"
      "all claims, and report.html with claims and figures. docs/paper.md explains the list, which marks the claims "
      "that are\n"
      "known to differ, with reasons. " +
          std::string(missed_claim_help) + " A run that\ncannot be made also ends with status 1."));
  return [a] { return run(*a); };
}

}  // namespace pithball::experiments
