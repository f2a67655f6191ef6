#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/commands/command.hpp"
#include "experiments/claim_list/list_run.hpp"

namespace pithball::experiments {

/// Items that were made, and where.
struct MadeList {
  std::vector<ItemResult> results;
  Programs programs;
  nlohmann::ordered_json json;  ///< list_json, with `folder` and `report`
  std::filesystem::path report;
};

/// Makes the items and leaves `target` with a run folder for each run, COMMAND.json and report.html.
MadeList make_list(const std::vector<Item>& items, const PageHeading& heading, const std::filesystem::path& target,
                   const app::CommonOptions& options);

/// The option --out with its default, and --resume and --overwrite, of a command that makes items.
void add_list_folder(CLI::App& parser, app::CommonOptions& options, const std::string& default_folder);

}  // namespace pithball::experiments
