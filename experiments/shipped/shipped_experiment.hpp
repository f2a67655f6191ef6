#pragma once
#include <filesystem>
#include <string>

#include "datasets/manifest/manifest.hpp"

namespace pithball::experiments {

/// An experiment file that comes with the program, by its path below experiments/: that of the source tree, or the
/// installed one, which lies beside the manifest.
inline std::string shipped_experiment(const std::filesystem::path& path) {
  const std::filesystem::path beside = std::filesystem::path(datasets::find_manifest()).parent_path();
  const std::filesystem::path source = beside.parent_path() / "experiments" / path;
  return (std::filesystem::exists(source) ? source : beside / path.filename()).string();
}

}  // namespace pithball::experiments
