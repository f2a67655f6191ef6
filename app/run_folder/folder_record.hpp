#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/result/run_record.hpp"
#include "app/yaml/tree.hpp"

namespace pithball::app {

struct Provenance;

/// Computes the checksum of every input file.
InputRecord make_input_record(const Tree& filled, const Provenance& provenance);

/// The difference between two records in words: "the file '/data/tracks.csv' has changed". Empty if they are equal.
std::string difference(const InputRecord& earlier, const InputRecord& now);

/// The record of a new run.
FolderRecord begin_record(const InputRecord& inputs);
/// The record of a folder; none if it has no readable one.
std::optional<FolderRecord> read_record(const std::filesystem::path& folder);
/// Replaces the record of this folder atomically.
void write_record(const FolderRecord& record, const std::filesystem::path& folder);

/// Registers files in a run folder, such as a report, and their parent folders as created by the program. Files
/// elsewhere, and folders without a record, are ignored.
void add_to_record(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& files);

/// Removes the `wanted` entries of a folder, last first; run folders among them according to their own records. Entries
/// that cannot be removed stay.
void remove_entries(const std::filesystem::path& folder, const std::vector<std::string>& entries,
                    const std::function<bool(const std::string& entry)>& is_wanted);

/// Removes everything listed in a folder's record, and the folder itself if it is then empty.
void remove_own(const std::filesystem::path& folder, const FolderRecord& record);

/// Removes temporary files that a killed program left of files listed in the record (`replace_file`).
void remove_drafts(const std::filesystem::path& folder, const FolderRecord& record);

/// Locks a folder against other programs while this object exists. The lock belongs to the process, so a killed program
/// leaves none.
class FolderLock {
 public:
  FolderLock() = default;
  /// Throws InvalidArgument if another program has locked the folder.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  /// The lock moves; the other object holds none.
  FolderLock(FolderLock&& other) noexcept;
  /// Swaps the locks: that of this object ends with the other.
  FolderLock& operator=(FolderLock&& other) noexcept;

 private:
  int folder_ = -1;
};

}  // namespace pithball::app
