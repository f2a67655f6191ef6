#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/claim_list/item_table.hpp"
#include "experiments/claim_list/listed_claim.hpp"

namespace pithball::experiments {

/// One run of an item: an ordinary experiment file by an ordinary command, or a study.
struct ItemRun {
  std::string name;                ///< its results' key and its run folder's name
  std::string command;             ///< a name of `run_verbs`
  std::filesystem::path file;      ///< the experiment file; of a study: empty
  std::vector<std::string> set;    ///< overrides path.to.key=value
  std::vector<std::string> quick;  ///< further ones for the quick variant
  std::vector<std::string> needs;  ///< backends and data sets; without one of them the run is left out
  bool whole_only = false;         ///< too long for the quick variant, which leaves it out
  std::vector<std::string> show;   ///< titles of the sections of its report that become the item's figures
};

/// What belongs together in a list: a figure of a paper, a case.
struct Item {
  std::string name, title;  ///< "figure_04", "Figure 4: energy error over time"
  std::string about;        ///< what is claimed and what we run, in a few sentences
  std::vector<ItemRun> runs;
  ItemValues values;
  std::vector<ListedClaim> claims;
  std::vector<ItemTable> tables;
};

/// A file of items.
struct ClaimList {
  std::string title, about;  ///< of the whole, for its page
  std::vector<Item> items;
};

/// Whether something that a run needs is a backend; otherwise it is a data set.
bool names_backend(const std::string& needed);

/// Reads a list of items. Throws InvalidArgument at file:line:column: unknown keys, names twice, a run of no known
/// command, a claim without exactly one comparison and one reason, or with a path that leads into no run.
ClaimList read_claim_list(const std::filesystem::path& file);

/// The items of these names, in the order of the list; all for no name. Throws InvalidArgument for an unknown name.
std::vector<Item> chosen_items(const std::vector<Item>& all, const std::vector<std::string>& names);

}  // namespace pithball::experiments
