#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace pithball::datasets {

/// One file of a data set and its source.
struct DataFile {
  std::string name;                ///< within the set's folder; may hold '/'
  std::string repository,          ///< "owner/name" on GitHub
      commit;                      ///< of that repository, 40 hexadecimal digits
  std::vector<std::string> paths;  ///< upstream, tried in order; empty for a derived file
  std::string derived;             ///< how a file without an upstream source was made; else empty
  std::string sha256;              ///< of the file's content, 64 lower-case hexadecimal digits
};

/// One data set by other authors.
struct DataSet {
  std::string name,             ///< key in the manifest, and its folder
      title,                    ///< one line
      kind,                     ///< source of the data: "measured", "simulated", …
      license,                  ///< name and owner
      citation,                 ///< of a publication or repository
      units;                    ///< units, axes and frame rate, in words
  std::vector<DataFile> files;  ///< in the order of the manifest
};

/// Content of datasets/manifest.yaml.
struct Manifest {
  std::string file;           ///< path
  std::vector<DataSet> sets;  ///< in the order of the file
  /// The data set with this name; throws InvalidArgument listing the known ones.
  const DataSet& at(const std::string& name) const;
  /// Folder of the data sets that come with the program: recordings/ next to the manifest.
  std::string shipped_folder() const;
};

/// The program's own manifest: the installed one (share/pithball/manifest.yaml next to its bin/) or that of the source
/// tree around the program. For other programs, that of the source tree around the current folder. Throws
/// InvalidArgument if there is none.
std::string find_manifest();

/// Reads a manifest; throws InvalidArgument at file:line:column on unknown or missing keys and invalid checksums.
Manifest load_manifest(const std::string& file = find_manifest());

/// Folder into which `fetch` downloads: $XDG_DATA_HOME/pithball, or ~/.local/share/pithball if that variable is not an
/// absolute path (XDG Base Directory Specification 0.8). Throws InvalidArgument if HOME is not one either.
std::string user_data_folder();

/// The folder of a data set: the first that exists of $PITHBALL_DATA/NAME, NAME in the manifest's shipped folder, and
/// NAME in the user's data folder. If none exists, throws InvalidArgument with the command that downloads it.
std::string find_dataset(const Manifest& manifest, const std::string& name);

/// Whether a file is there with the checksum of the manifest.
enum class FileStatus { Ok, Missing, Changed };
/// The result of `verify` for one file.
struct FileReport {
  std::string name;                    ///< as in DataFile
  FileStatus status = FileStatus::Ok;  ///< what was found
  std::string remedy;                  ///< for a derived file: its source
};
/// Compares the files in a folder with their checksums; one report for each file of the set.
std::vector<FileReport> verify(const DataSet& set, const std::string& folder);

/// Where a data set is downloaded from, and the limits of a download.
struct FetchOptions {
  /// Followed by /repository/commit/path. No other protocol is used.
  std::string base_url = "https://raw.githubusercontent.com";
  std::string program = "curl";               ///< name or path of curl; a name is looked up in PATH
  std::uintmax_t most_bytes = 1'000'000'000;  ///< limit per file
  int most_seconds = 3600;                    ///< limit per file
  const std::atomic<bool>* stop = nullptr;    ///< set by the caller to cancel the download, which then fails
};
/// The result of a download.
struct FetchReport {
  std::string folder;                   ///< where the set is now
  bool already_there = false;           ///< nothing was downloaded: `folder` held the whole set
  std::vector<FileReport> not_fetched;  ///< derived files, which have no upstream source
};
/// Downloads a data set into the user's data folder with curl: into a temporary folder, where every checksum is
/// verified, which is then renamed, so that the set is complete or absent. In an existing folder the files of the set
/// are replaced one by one, and all others stay. A complete set found by `find_dataset` is left alone. Throws
/// std::runtime_error (no network, no curl, wrong checksum, too large, too slow, canceled) and leaves nothing behind;
/// throws InvalidArgument (unknown name, a set of derived files only, a damaged set in a folder that takes precedence).
FetchReport fetch(const Manifest& manifest, const std::string& name, const FetchOptions& options = {});

}  // namespace pithball::datasets
