#pragma once
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/report/section.hpp"
#include "experiments/claim_list/claim_list.hpp"

namespace pithball::experiments {

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
/// The command of that name, which must be there.
const RunVerb& find_verb(const std::string& name);

/// Reads the run's files, with its overrides; throws InvalidArgument at whatever its command would reject.
PreparedRun prepare(const ItemRun& run, bool quick);

}  // namespace pithball::experiments
