#include "experiments/commands/made_list.hpp"

#include <fmt/format.h>

#include "app/report/report_page.hpp"
#include "datasets/text/text_scan.hpp"

namespace pithball::experiments {

using namespace app;

MadeList make_list(const std::vector<Item>& items, const PageHeading& heading, const std::filesystem::path& target,
                   const CommonOptions& options) {
  const std::filesystem::path page_file = find_report_template();
  const std::string page = datasets::read_text_file(page_file.string(), "page");
  use_threads(options);

  MadeList made{{}, find_programs(items, heading.quick), {}, target / "report.html"};
  ListRun run =
      run_list(items, made.programs, target, {heading.command, heading.quick, options.earlier, !options.quiet});
  made.results = std::move(run.items);
  made.json = list_json(made.results, made.programs, heading.quick);
  finish_list(*run.folder, heading.command + ".json", made.json,
              report_page(page, list_sections(made.results, made.programs, target, heading), page_file));
  made.json["folder"] = target.string();
  made.json["report"] = made.report.string();
  return made;
}

void add_list_folder(CLI::App& parser, CommonOptions& options, const std::string& default_folder) {
  parser
      .add_option(
          "--out", options.out,
          fmt::format("The folder (default {}); an existing one is kept unless --overwrite or --resume is given",
                      default_folder))
      ->type_name("DIR");
  parser.add_flag("--resume", options.earlier.resume,
                  "Reuse the completed items of an interrupted run, if files and program are unchanged");
  add_overwrite(parser, options);
}

}  // namespace pithball::experiments
