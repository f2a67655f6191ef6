#pragma once
#include <filesystem>
#include <string>

#include "datasets/manifest.hpp"

namespace pithball::experiments {

/// The experiment file NAME.yaml of a case: that of the source tree, or the installed one beside the manifest.
inline std::string case_file(const std::string& name) {
  const std::filesystem::path beside = std::filesystem::path(datasets::find_manifest()).parent_path();
  const std::filesystem::path source = beside.parent_path() / "experiments" / "captured" / name / (name + ".yaml");
  return (std::filesystem::exists(source) ? source : beside / (name + ".yaml")).string();
}

}  // namespace pithball::experiments
