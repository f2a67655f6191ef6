#pragma once
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace pithball::app {

/// A new folder that appears atomically: until `finish` it has a unique temporary name, and it is removed if the work
/// ends early.
class NewFolder {
 public:
  /// Throws InvalidArgument if `target` exists or cannot be created; for commands that check before they start working.
  static void check(const std::filesystem::path& target);

  /// Creates an empty folder next to the target, after removing those that killed programs left there. Throws as
  /// `check`.
  explicit NewFolder(const std::filesystem::path& target);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// Path of a file in the folder, for writers that open files themselves; it counts as written.
  std::filesystem::path add(const std::string& name);
  /// Writes a file; throws std::runtime_error on a write error.
  void write(const std::string& name, const std::string& content);
  /// Writes a file through `fill`; throws likewise.
  void write(const std::string& name, const std::function<void(std::ostream&)>& fill);

  /// Names of the files, in the order in which they were written.
  const std::vector<std::string>& files() const { return files_; }
  /// Gives the folder its name.
  void finish();

 private:
  /// Makes the folder of a temporary name, and locks it: unlocked ones are of programs that were killed.
  void make_partial(const std::string& beginning);

  std::filesystem::path target_, partial_;
  int lock_ = -1;  // the open folder; −1: none
  std::vector<std::string> files_;
};

}  // namespace pithball::app
