#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/report/report_page.hpp"
#include "datasets/text/text_scan.hpp"
#include "experiments/claim/exit_status.hpp"
#include "experiments/commands/lab_commands.hpp"
#include "experiments/paper/paper_report.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

struct PaperArguments {
  std::vector<std::string> items;
  std::string list;  ///< empty: the paper's own
  bool quick = false;
  CommonOptions options;
};

int run(const PaperArguments& arguments) {
  const CommonOptions& options = arguments.options;
  const std::filesystem::path list =
      arguments.list.empty() ? paper::find_paper_list() : std::filesystem::path(arguments.list);
  const std::vector<paper::Item> items = paper::chosen_items(paper::read_paper_list(list), arguments.items);
  const std::filesystem::path target = run_target(options, "paper");
  const std::filesystem::path page_file = find_report_template();
  const std::string page = datasets::read_text_file(page_file.string(), "page");
  use_threads(options);

  const paper::Programs programs = paper::find_programs(items, arguments.quick);
  const paper::PaperRun made = paper::run_paper(
      items, programs, target, {.quick = arguments.quick, .earlier = options.earlier, .progress = !options.quiet});
  const std::vector<paper::ItemResult>& results = made.items;
  nlohmann::ordered_json json = paper::paper_json(results, programs, arguments.quick);
  paper::finish_paper(*made.folder, json,
                      report_page(page, paper_sections(results, programs, target, arguments.quick), page_file));
  json["folder"] = target.string();
  json["report"] = (target / "report.html").string();
  print_result(
      options, json,
      paper_text(results, programs) + fmt::format("  report                 {}\n", (target / "report.html").string()));
  return json["ok"] == true ? Done : NumbersFailed;
}

}  // namespace

Action declare_paper(CLI::App& parser) {
  auto a = std::make_shared<PaperArguments>();
  parser.add_option("ITEM", a->items, "Only these figures and tables: figure_04, table_1, … (default all)");
  parser.add_option("--list", a->list, "Another list of items and claims (default experiments/paper/claims.yaml)")
      ->type_name("FILE.yaml");
  parser.add_flag("--quick", a->quick, "Use shorter and coarser runs: minutes instead of half an hour");
  parser
      .add_option("--out", a->options.out,
                  "The folder (default runs/paper); an existing one is kept unless --overwrite or --resume is given")
      ->type_name("DIR");
  parser.add_flag("--resume", a->options.earlier.resume,
                  "Reuse the completed items of an interrupted run, if files and program are unchanged");
  add_overwrite(parser, a->options);
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
