#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/report/section.hpp"
#include "app/run_folder/run_folder.hpp"
#include "experiments/claim_list/claim_list.hpp"

namespace pithball::experiments {

/// An item, whether and how it was made, and the outcome of its claims.
struct ItemResult {
  Item item;
  nlohmann::ordered_json results;  ///< {run: result}
  std::string failure;             ///< why a run could not be made; empty: all were
  double seconds = 0;              ///< of its runs
  bool kept = false;               ///< from an earlier, unfinished run
  std::vector<Claim> claims;       ///< those of the list, measured or skipped
  nlohmann::ordered_json tables;   ///< those of the list, filled in (fill_table)

  /// Its runs were made, and none of its claims is missed.
  bool ok() const;
};

/// The other programs and the data sets that items need: which are there.
struct Programs {
  std::map<std::string, std::string> version;  ///< of the programs that are, by the backend's name
  std::map<std::string, std::string> absence;  ///< why the others, and data sets, cannot be used
};

/// Looks for the backends that runs of the items need, by starting each once, and for their data sets.
Programs find_programs(const std::vector<Item>& items, bool quick);

/// Why none of the item's runs can be made: the absence of what they need; empty: some can.
std::string reason_to_leave_out(const Item& item, bool quick);

struct ListOptions {
  std::string command = "paper";  ///< the program's command that makes the items
  bool quick = false;
  app::EarlierRun earlier = {};  ///< resume: keep the items that an unfinished run left
  bool progress = false;         ///< on standard error
};

/// The items as they were made, in a folder that has no name yet.
struct ListRun {
  std::unique_ptr<app::RunFolder> folder;
  std::vector<ItemResult> items;
};

/// Makes the items one after the other. While it lasts everything is in `<target>.partial`: for each item a folder with
/// the run folders of its runs and item.json; `finish_list` gives it its name. Wrong input of any item is rejected
/// before the first is made and before anything is written. A run that fails otherwise costs its item only. With
/// `resume`, an item that was complete in `<target>.partial` is kept if its files, their overrides and the program are
/// as they were.
///
/// A run that needs a program or data that are not there is left out, and the claims that read it are skipped.
ListRun run_list(const std::vector<Item>& items, const Programs& programs, const std::filesystem::path& target,
                 const ListOptions& options);

/// Where an item's run leaves its run folder until `finish_list`.
std::filesystem::path run_folder(const std::filesystem::path& target, const Item& item, const ItemRun& run);

/// The claims of all items, each under its title and the seconds that it took.
std::vector<ClaimGroup> claims_of(const std::vector<ItemResult>& results);

/// The whole as one object: {program, programs: {backend: version}, quick, ok, seconds, counts, items: [{name, title,
/// status, failure, kept, seconds, claims: rows_of_claims, tables}]}.
nlohmann::ordered_json list_json(const std::vector<ItemResult>& results, const Programs& programs, bool quick);

/// Writes the JSON file `name` and report.html (`page`; empty: none), and gives the folder its name.
void finish_list(app::RunFolder& folder, const std::string& name, const nlohmann::ordered_json& json,
                 const std::string& page);

/// What the page of a list says about the whole.
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
