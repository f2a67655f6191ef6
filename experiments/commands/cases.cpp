#include <fmt/format.h>

#include <memory>

#include "app/base/json_text.hpp"
#include "datasets/manifest/manifest.hpp"
#include "experiments/captured/captured_case.hpp"
#include "experiments/commands/lab_commands.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

/// The folder of a case's recordings; empty, with a message, where this machine has none.
std::string recordings_of(const CapturedCase& captured) {
  try {
    return datasets::find_dataset(datasets::load_manifest(), captured.name);
  } catch (const InvalidArgument& error) {
    fmt::print(stderr, "{} is skipped: {}\n", captured.name, error.what());
    return "";
  }
}

nlohmann::ordered_json row_json(const std::string& name, const CaseRow& row) {
  return {{"case", name},
          {"quantity", row.quantity},
          {"estimate", row.estimate},
          {"error", number_or_null(row.error)},
          {"unit", row.unit},
          {"reference", row.reference},
          {"verdict", row.verdict}};
}

int run_cases(bool quick, const CommonOptions& options) {
  use_threads(options);
  std::vector<std::pair<std::string, std::vector<CaseRow>>> table;
  nlohmann::ordered_json result{{"quick", quick}, {"rows", nlohmann::ordered_json::array()}};
  result["skipped"] = nlohmann::ordered_json::array();
  for (const CapturedCase& captured : captured_cases()) {
    const std::string folder = recordings_of(captured);
    if (folder.empty()) {
      result["skipped"].push_back(captured.name);
      continue;
    }
    progress_lines(options)(captured.name);
    const nlohmann::json study = captured.run(folder, quick, progress_lines(options));
    table.emplace_back(captured.name, captured.to_rows(study));
    for (const CaseRow& row : table.back().second) result["rows"].push_back(row_json(captured.name, row));
  }
  print_result(options, result, table_of_cases(table));
  if (!table.empty()) return Done;
  fmt::print(stderr, "cases: no recordings of any case are here; `pithball data list` says where each is looked for\n");
  return NumbersFailed;
}

}  // namespace

Action declare_cases(CLI::App& parser) {
  struct Arguments {
    bool quick = false;
    CommonOptions options;
  };
  auto a = std::make_shared<Arguments>();
  parser.add_flag("--quick", a->quick, "of each case the main fit and what its claims need");
  add_threads(parser, a->options);
  add_printing(parser, a->options);
  parser.footer(
      help_footer("  pithball-lab cases            every case whose recordings are here, ten minutes\n"
                  "  pithball-lab cases --quick    a minute\n"));
  return [a] { return run_cases(a->quick, a->options); };
}

}  // namespace pithball::experiments
