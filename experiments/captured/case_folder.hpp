#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/claim_list/claim_list.hpp"

namespace pithball::experiments {

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
