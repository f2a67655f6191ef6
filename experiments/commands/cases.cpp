#include <fmt/format.h>

#include <memory>

#include "app/base/print_message.hpp"
#include "datasets/manifest/manifest.hpp"
#include "experiments/captured/captured_case.hpp"
#include "experiments/claim/claim.hpp"
#include "experiments/claim/claim_report.hpp"
#include "experiments/commands/lab_commands.hpp"
#include "experiments/commands/made_list.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

/// The claims of all cases whose recordings are installed, and the names of the skipped cases.
struct CaseTable {
  std::vector<ClaimGroup> groups;
  std::vector<std::string> skipped;
  bool complete = true;  ///< whether no run failed
};

void skip(const std::string& name, const std::string& why, CaseTable& table) {
  print_message("{} is skipped: {}\n", name, why);
  table.skipped.push_back(name);
}

/// Runs the cases that are described in files.
void run_folders(bool quick, const CommonOptions& options, CaseTable& table) {
  std::vector<Item> items;
  for (const std::string& name : case_names()) {
    Item item = read_case_folder(name).item;
    const std::string absent = reason_to_leave_out(item, quick);
    if (absent.empty())
      items.push_back(std::move(item));
    else
      skip(name, absent, table);
  }
  if (items.empty()) return;
  const MadeList made = make_list(items, {"Captured cases", "Studies of real recordings", "cases", quick},
                                  run_target(options, "cases"), options);
  for (const ItemResult& result : made.results) {
    table.groups.push_back({result.item.name, result.claims});
    table.complete = table.complete && result.failure.empty();
    if (!result.failure.empty()) print_message("{}: {}\n", result.item.name, result.failure);
  }
}

/// Runs the cases that are implemented in C++.
void run_programs(bool quick, const CommonOptions& options, CaseTable& table) {
  for (const CapturedCase& captured : captured_cases()) {
    try {
      const std::string folder = datasets::find_dataset(datasets::load_manifest(), captured.name);
      progress_lines(options)(captured.name);
      table.groups.push_back({captured.name, captured.to_claims(captured.run(folder, quick, progress_lines(options)))});
    } catch (const InvalidArgument& absent) {
      skip(captured.name, absent.what(), table);
    }
  }
}

int run_cases(bool quick, const CommonOptions& options) {
  use_threads(options);
  CaseTable table;
  run_folders(quick, options, table);
  run_programs(quick, options, table);
  nlohmann::ordered_json result{{"quick", quick}, {"rows", nlohmann::ordered_json::array()}};
  result["skipped"] = table.skipped;
  for (const ClaimGroup& group : table.groups)
    for (const nlohmann::ordered_json& claim : rows_of_claims(group.claims)) {
      result["rows"].push_back({{"case", group.title}});
      result["rows"].back().update(claim);
    }
  print_result(options, result, table_of_claims(table.groups));
  if (!table.groups.empty()) return table.complete ? exit_status(table.groups) : NumbersFailed;
  fmt::print(
      stderr,
      "cases: no recordings of any case are installed; `pithball data list` shows the folders that are searched\n");
  return NumbersFailed;
}

}  // namespace

Action declare_cases(CLI::App& parser) {
  struct Arguments {
    bool quick = false;
    CommonOptions options;
  };
  auto a = std::make_shared<Arguments>();
  parser.add_flag("--quick", a->quick, "Make only the main fit of each case and what its claims require");
  add_list_folder(parser, a->options, "runs/cases");
  add_threads(parser, a->options);
  add_printing(parser, a->options);
  parser.footer(
      help_footer_on_claims("  pithball-lab cases            all cases with installed recordings, ten minutes\n"
                            "  pithball-lab cases --quick    a minute\n"));
  return [a] { return run_cases(a->quick, a->options); };
}

}  // namespace pithball::experiments
