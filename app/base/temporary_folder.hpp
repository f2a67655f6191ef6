#pragma once
#include <filesystem>
#include <string>

namespace pithball::app {

/// An empty folder of its own among the system's temporary files, removed with the object.
class TemporaryFolder {
 public:
  /// `purpose` becomes part of its name. Throws std::runtime_error if there is no place for it.
  explicit TemporaryFolder(const std::string& purpose);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace pithball::app
