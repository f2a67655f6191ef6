#pragma once
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/report/section.hpp"
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

/// Runs and claims that belong together in a list: a figure of a paper, a case.
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

/// A run of an item that was read and checked, ready to be made.
struct PreparedRun {
  std::string inputs;  ///< everything that its result depends on besides the program, as text
  /// Makes it and leaves what its command leaves in the folder `target`; `progress`: bars on standard error. Returns
  /// the result, as its command prints it with --json.
  std::function<nlohmann::ordered_json(const std::filesystem::path& target, bool progress)> make;
};

/// A command that items are run by.
struct RunVerb {
  const char* name;
  bool reads_file;  ///< an experiment file; otherwise its value is the name of a study
  PreparedRun (*prepare)(const ItemRun& run, const std::vector<std::string>& overrides, bool quick);
  /// The figures of a run that was made, in the order of `run.show`.
  app::Sections (*figures)(const ItemRun& run, const std::filesystem::path& folder,
                           const nlohmann::ordered_json& result);
};

/// simulate, fit, compare, scan, jax_md_charge, study.
const std::vector<RunVerb>& run_verbs();
std::vector<std::string> names_of_verbs();
/// The command of that name, which must exist.
const RunVerb& find_verb(const std::string& name);

/// Reads the run's files, with its overrides; throws InvalidArgument at whatever its command would reject.
PreparedRun prepare(const ItemRun& run, bool quick);

}  // namespace pithball::experiments
