#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/claim/claim.hpp"
#include "experiments/claim_list/claim_list.hpp"

namespace pithball::experiments {

/// A study of a recording of something real, in a folder of its own with its page.
struct CapturedCase {
  const char* name;  ///< of the case and of its data set
  /// Runs it on the recordings in `folder`; `quick`: the main fit and what its claims need.
  nlohmann::json (*run)(const std::string& folder, bool quick, void (*progress)(const std::string&));
  std::string (*to_text)(const nlohmann::json& result);
  std::vector<Claim> (*to_claims)(const nlohmann::json& result);
};

/// All of them.
const std::vector<CapturedCase>& captured_cases();

/// A study of a recording of something real, as files in a folder: claims.yaml, the experiment files that it runs, and
/// the page README.md.
struct CaseFolder {
  std::string name;  ///< of the folder
  Item item;         ///< the only one of claims.yaml, under the folder's name
};

/// experiments/captured of the source tree, or the installed one beside the data manifest.
std::filesystem::path find_captured_folder();

/// The names of the folders there that have a claims.yaml, sorted.
std::vector<std::string> case_names();

/// Reads the case of that name, or of any folder with a claims.yaml. Throws InvalidArgument where there is none, or its
/// list does not have exactly one item.
CaseFolder read_case_folder(const std::string& name_or_folder);

}  // namespace pithball::experiments
