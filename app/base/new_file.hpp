#pragma once
#include <sys/file.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace pithball::app {

/// Throws InvalidArgument if the file exists or its folder does not; for commands that check before they start working.
void require_new_file(const std::string& name, const std::string& remedy = "remove it or choose another name");

/// Throws InvalidArgument if both names are of one file: what is read is not overwritten.
void require_other_file(const std::string& name, const std::string& input);

/// Writes a new file atomically: it gets its name once it is completely on disk. Throws InvalidArgument as above,
/// std::runtime_error on a write error.
void write_new_file(const std::string& name, const std::string& content);

/// The same for a file that may exist: the old one stays until the new one is completely on disk. A symbolic link of
/// that name is replaced, not followed.
void replace_file(const std::string& name, const std::string& content);

/// Permissions of a new file or folder: `wanted` minus the user's umask.
std::filesystem::perms permissions_of_new(std::filesystem::perms wanted);

/// Waits until the content of a file, or the entries of a folder, are on disk. Throws std::runtime_error on a write
/// error.
void flush_to_disk(const std::filesystem::path& file_or_folder);

/// What came of an attempt to lock a file or folder.
enum class Locked {
  Yes,      ///< as long as it is open
  ByOther,  ///< another program has locked it
  Unknown,  ///< the file system has no locks
};

/// Locks an open file or folder against other programs that try to.
inline Locked try_to_lock(int opened) {
  if (flock(opened, LOCK_EX | LOCK_NB) == 0) return Locked::Yes;
  return errno == EWOULDBLOCK ? Locked::ByOther : Locked::Unknown;
}

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
  /// Creates the folder with a temporary name and locks it: unlocked ones were left by killed programs.
  void make_partial(const std::string& beginning);

  std::filesystem::path target_, partial_;
  int lock_ = -1;  // the open folder; −1: none
  std::vector<std::string> files_;
};

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

/// A name as part of a file's name: whatever is not a letter, a digit, '-', '_' or '.' becomes '_'.
std::string file_stem(std::string name);

}  // namespace pithball::app
