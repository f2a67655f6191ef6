#pragma once
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace pithball::app {

/// A new folder that appears as a whole: until `finish` it has a name of its own that nothing else has, and it is
/// removed if the work ends before.
class NewFolder {
 public:
  /// Throws InvalidArgument if `target` exists already or no folder can be made there; for commands that look before
  /// they work.
  static void check(const std::filesystem::path& target);

  /// Makes an empty folder beside the target. Throws as `check`.
  explicit NewFolder(const std::filesystem::path& target);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// Where a file of the folder goes, for writers that open files themselves; counts as written.
  std::filesystem::path add(const std::string& name);
  /// Writes a file; throws std::runtime_error if the disk rejects.
  void write(const std::string& name, const std::string& content);
  void write(const std::string& name, const std::function<void(std::ostream&)>& fill);

  /// Names of the files, in the order of writing.
  const std::vector<std::string>& files() const { return files_; }
  /// Gives the folder its name.
  void finish();

 private:
  std::filesystem::path target_, partial_;
  std::vector<std::string> files_;
};

}  // namespace pithball::app
