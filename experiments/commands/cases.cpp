#include <fmt/format.h>

#include <memory>

#include "datasets/manifest/manifest.hpp"
#include "experiments/captured/captured_case.hpp"
#include "experiments/claim/claim_json.hpp"
#include "experiments/claim/claim_text.hpp"
#include "experiments/claim/exit_status.hpp"
#include "experiments/commands/claims_result.hpp"
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

int run_cases(bool quick, const CommonOptions& options) {
  use_threads(options);
  std::vector<ClaimGroup> table;
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
    table.push_back({captured.name, captured.to_claims(study)});
    for (const nlohmann::ordered_json& claim : rows_of_claims(table.back().claims)) {
      result["rows"].push_back({{"case", captured.name}});
      result["rows"].back().update(claim);
    }
  }
  print_result(options, result, table_of_claims(table));
  if (!table.empty()) return exit_status(table);
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
  add_threads(parser, a->options);
  add_printing(parser, a->options);
  parser.footer(
      help_footer_on_claims("  pithball-lab cases            all cases with installed recordings, ten minutes\n"
                            "  pithball-lab cases --quick    a minute\n"));
  return [a] { return run_cases(a->quick, a->options); };
}

}  // namespace pithball::experiments
