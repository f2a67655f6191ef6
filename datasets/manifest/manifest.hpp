#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace pithball::datasets {

/// One file of a data set and where it comes from.
struct DataFile {
  std::string name;                ///< within the set's folder; may hold '/'
  std::string repository, commit;  ///< on GitHub
  std::vector<std::string> paths;  ///< upstream, tried in order; empty for a derived file
  std::string derived;             ///< how a file without upstream place was made; else empty
  std::string sha256;
};

/// One real (or foreign) data set.
struct DataSet {
  std::string name, title, kind, license, citation, units;
  std::vector<DataFile> files;
};

/// What datasets/manifest.yaml says.
struct Manifest {
  std::string file;
  std::vector<DataSet> sets;
  /// The set with this name; throws InvalidArgument listing the known ones.
  const DataSet& at(const std::string& name) const;
  /// The folder of the sets that come with the program: recordings/ beside the manifest.
  std::string shipped_folder() const;
};

/// The program's own manifest, as it chooses what is fetched: the installed one (share/pithball/manifest.yaml beside
/// its bin/) or that of the source tree that holds it. For a program without one, that of the source tree that holds
/// the current folder. Throws InvalidArgument if there is none.
std::string find_manifest();

/// Reads a manifest; throws InvalidArgument at file:line:column on unknown or missing keys and bad sums.
Manifest load_manifest(const std::string& file = find_manifest());

/// Where `fetch` puts data: $XDG_DATA_HOME/pithball, or ~/.local/share/pithball where that variable holds no absolute
/// path (XDG Base Directory Specification 0.8). Throws InvalidArgument where HOME holds none either.
std::string user_data_folder();

/// The folder of a set, the first of $PITHBALL_DATA/NAME, NAME in the manifest's shipped folder and NAME in the user's
/// data folder that exists. Throws InvalidArgument, saying how to get it, if none does.
std::string find_dataset(const Manifest& manifest, const std::string& name);

enum class FileStatus { Ok, Missing, Changed };
struct FileReport {
  std::string name;
  FileStatus status = FileStatus::Ok;
  std::string remedy;  ///< for a derived file: where it comes from
};
/// Compares the files in a folder with their sums; one report for each file of the set.
std::vector<FileReport> verify(const DataSet& set, const std::string& folder);

struct FetchOptions {
  /// Then /repository/commit/path. No other protocol is used.
  std::string base_url = "https://raw.githubusercontent.com";
  std::string program = "curl";
  std::uintmax_t most_bytes = 1'000'000'000;  ///< of a file
  int most_seconds = 3600;                    ///< for a file
  const std::atomic<bool>* stop = nullptr;    ///< set by somebody: the download ends as a failed one
};
struct FetchReport {
  std::string folder;
  bool already_there = false;
  std::vector<FileReport> not_fetched;  ///< derived files, which have no upstream place
};
/// Downloads a set into the user's data folder with curl: first into a temporary folder beside it, where every sum is
/// checked, then renamed, so that a set is there whole or not at all. In a folder that is there already each file of
/// the set is exchanged by itself, and all others stay. A set that `find_dataset` finds whole is left alone. Throws
/// std::runtime_error (no network, no curl, sum differs, too large, too slow, stopped) and then leaves nothing behind;
/// InvalidArgument (unknown name, a set of derived files only, a set that is damaged where the program looks first).
FetchReport fetch(const Manifest& manifest, const std::string& name, const FetchOptions& options = {});

}  // namespace pithball::datasets
