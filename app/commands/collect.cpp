#include <fmt/format.h>

#include <map>
#include <memory>

#include "app/base/child_process.hpp"
#include "app/base/new_file.hpp"
#include "app/base/print_message.hpp"
#include "app/commands/command.hpp"
#include "app/report/report_page.hpp"
#include "app/report/sweep_sections.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::app {
namespace {

namespace fs = std::filesystem;

constexpr double conversion_patience = 600;  // [s]

/// Converts the table with pyarrow, which preserves all digits of every number.
void write_parquet(const fs::path& csv, const fs::path& parquet) {
  const fs::path python = find_program({{"python3"}, "", "python3", "--parquet"});
  ChildProcess child({python.string(), "-c",
                      "import sys\nfrom pyarrow import csv, parquet\n"
                      "parquet.write_table(csv.read_csv(sys.argv[1]), sys.argv[2])\n",
                      csv.string(), parquet.string()},
                     {0}, conversion_patience);
  if (child.finish() != 0)
    throw InvalidArgument({"", "--parquet", "needs the Python package pyarrow", "a failure of python3",
                           "install it (pip install pyarrow), or use table.csv"});
}

/// Writes the page. If this fails, warns and continues, because the table is complete.
void write_page(const CommonOptions& options, const PlanFolder& plan, const SweepTable& table, std::string& text,
                nlohmann::ordered_json& json) {
  try {
    const fs::path page = find_report_template(), file = plan.folder() / "report.html";
    replace_file(file.string(), report_page(datasets::read_text_file(page.string(), "page"),
                                            sweep_sections(plan.record(), table), page));
    text += fmt::format("  report                 {}\n", file.string());
    json["report"] = file.string();
  } catch (const InvalidArgument& error) {
    if (!options.quiet) print_message("no report: {}\n", error.what());
  }
}

/// Counts the tasks by status.
std::map<std::string, long> count_statuses(const SweepTable& table) {
  std::map<std::string, long> counts;
  for (const TaskResult& row : table.rows) ++counts[row.status];
  return counts;
}

int run_collect(const std::string& folder, bool wants_parquet, const CommonOptions& options) {
  const PlanFolder plan(folder);
  const SweepTable table = collect(plan);
  const fs::path csv = plan.folder() / "table.csv";
  replace_file(csv.string(), to_csv(table));
  nlohmann::ordered_json json{{"folder", folder},
                              {"tasks", table.tasks},
                              {"collected", table.rows.size()},
                              {"failed", table.failed()},
                              {"table", csv.string()}};
  std::string text = fmt::format("{}: {} of {} tasks", plan.record().name, table.rows.size(), table.tasks);
  if (table.failed() > 0) text += fmt::format(", {} failed", table.failed());
  text += "\n";
  if (table.missing() > 0)
    text += fmt::format("  without a result       {}{}; `pithball run {}` does the rest\n",
                        fmt::join(table.incomplete, ", "),
                        table.missing() > static_cast<Index>(table.incomplete.size()) ? ", …" : "", folder);
  json["statuses"] = nlohmann::ordered_json::object();
  std::string statuses;
  for (const auto& [status, count] : count_statuses(table)) {
    json["statuses"][status] = count;
    statuses += fmt::format("{}{} {}", statuses.empty() ? "" : ", ", count, status);
  }
  text += fmt::format("  ended as               {}\n", statuses);
  text += fmt::format("  table                  {}\n", csv.string());
  if (wants_parquet) {
    const fs::path parquet = plan.folder() / "table.parquet";
    fs::remove(parquet);  // it may be a link that pyarrow would write through
    write_parquet(csv, parquet);
    text += fmt::format("  table                  {}\n", parquet.string());
    json["parquet"] = parquet.string();
  }
  write_page(options, plan, table, text, json);
  print_result(options, json, text);
  if (table.failed() > 0)  // an error, which `--quiet` does not suppress
    print_message("{}: {} of {} tasks failed; table.csv has their errors\n", printable(folder), table.failed(),
                  table.tasks);
  return table.failed() > 0 ? NumbersFailed : Done;
}

}  // namespace

Action declare_collect(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto plan = std::make_shared<std::string>();
  auto wants_parquet = std::make_shared<bool>(false);
  parser.add_option("PLAN", *plan, "The plan folder made by `pithball sweep`")->required()->type_name("PLAN");
  parser.add_flag("--parquet", *wants_parquet, "Also write table.parquet; needs python3 with pyarrow");
  add_printing(parser, *options);
  parser.footer(help_footer(
      "  pithball collect runs/torus-sweep\n  pithball collect runs/torus-sweep --parquet",
      "Writes table.csv and report.html into the plan folder, from all results that are there; it may be called while\n"
      "tasks are running. A row of the table is a task: its number, what distinguishes it, its status, what it found,\n"
      "its error and its time in seconds. Two tables of one plan are equal to the last byte but for the seconds.\n"
      "Status 1: a task failed three times; its row has the error."));
  return [=] { return run_collect(*plan, *wants_parquet, *options); };
}

}  // namespace pithball::app
