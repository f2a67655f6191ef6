#pragma once
#include <filesystem>
#include <set>
#include <vector>

namespace pithball::app {

/// Absolute paths of the files and folders used by documents, added during reading.
class InputFiles {
 public:
  /// Relative paths start at the current folder.
  void add(const std::filesystem::path& file) { files_.insert(std::filesystem::absolute(file).lexically_normal()); }
  /// Sorted, each once.
  std::vector<std::filesystem::path> files() const { return {files_.begin(), files_.end()}; }

 private:
  std::set<std::filesystem::path> files_;
};

}  // namespace pithball::app
