#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/report/section.hpp"
#include "experiments/claim_list/list_run.hpp"

namespace pithball::experiments {

/// What the page of a list says of the whole.
struct PageHeading {
  std::string title, about;
  std::string command;  ///< that made the items
  bool quick = false;
};

/// One page of all items: what it is, the table of claims, then for each item its claims with their reasons, its tables
/// and its figures. The run folders are where `run_list` left them.
app::Sections list_sections(const std::vector<ItemResult>& results, const Programs& programs,
                            const std::filesystem::path& target, const PageHeading& heading);

/// The same tables and claims as text, how many verdicts there are of each kind, and which other programs ran.
std::string list_text(const std::vector<ItemResult>& results, const Programs& programs);

}  // namespace pithball::experiments
