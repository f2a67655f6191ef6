#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/run_folder/input_record.hpp"

namespace pithball::app {

/// record.json of a run folder: which run it is, how far it came, and what the program made in it.
struct FolderRecord {
  static constexpr const char* name = "record.json";

  std::string id;        ///< of this one run; no other has it
  std::string replaces;  ///< the run that has the name while this one is made; empty: none
  bool complete = false;
  std::vector<std::string> own;  ///< names of files and folders that the program made, in that order
  InputRecord inputs;

  /// A record of a new run.
  static FolderRecord begin(const InputRecord& inputs);
  /// The record of a folder; none if it has none that can be read.
  static std::optional<FolderRecord> read(const std::filesystem::path& folder);
  void write(const std::filesystem::path& folder) const;
  bool owns(const std::string& entry) const;
};

/// Adds files in a run folder, and the folders on the way to them, to those that the program made: a report, say. Files
/// elsewhere, and folders without a record, are let alone.
void add_to_record(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& files);

/// Removes those of the entries of a folder that are wanted, the last first; run folders among them by their own
/// records. What cannot be removed stays.
void remove_entries(const std::filesystem::path& folder, const std::vector<std::string>& entries,
                    const std::function<bool(const std::string& entry)>& is_wanted);

/// Removes what a record lists from a folder, and the folder if nothing else is in it.
void remove_own(const std::filesystem::path& folder, const FolderRecord& record);

/// Removes from a folder what a killed program had not finished of the files that the record lists (`replace_file`).
void remove_drafts(const std::filesystem::path& folder, const FolderRecord& record);

/// Keeps other programs out of a folder while it lives; they are known by the kernel, so a killed one keeps nobody out.
class FolderLock {
 public:
  FolderLock() = default;
  /// Throws InvalidArgument if another program has the folder.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;

 private:
  int folder_ = -1;
};

}  // namespace pithball::app
