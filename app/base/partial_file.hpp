#pragma once
#include <filesystem>
#include <system_error>
#include <utility>

namespace pithball::app {

/// A file that has a temporary name until it is complete, and is removed if that never happens; for programs that write
/// files themselves.
class PartialFile {
 public:
  /// `target`: its name in the end.
  explicit PartialFile(std::filesystem::path target) : target_(std::move(target)) {}
  ~PartialFile() {
    std::error_code ignored;
    std::filesystem::remove(name(), ignored);
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  /// Its name until then.
  std::filesystem::path name() const { return target_.string() + ".partial"; }
  /// Gives it its name, replacing a file that has it.
  void complete() const { std::filesystem::rename(name(), target_); }

 private:
  std::filesystem::path target_;
};

}  // namespace pithball::app
