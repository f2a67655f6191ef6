#pragma once
#include <filesystem>
#include <string>

namespace pithball::app {

/// An empty folder among the system's temporary files, removed together with this object.
class TemporaryFolder {
 public:
  /// `purpose` becomes part of its name. Throws std::runtime_error if it cannot be created.
  explicit TemporaryFolder(const std::string& purpose);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// Absolute path; it exists as long as this object.
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace pithball::app
