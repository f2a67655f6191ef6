#pragma once
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/run_folder/folder_record.hpp"
#include "app/yaml/tree.hpp"
#include "optim/search/ledger.hpp"

namespace pithball::app {

/// Origin of a run: the section `provenance:` of run.yaml.
struct Provenance {
  std::string command;                             ///< "simulate"
  std::string experiment;                          ///< absolute path of the file
  std::vector<std::string> overrides;              ///< arguments of `--set`, as given
  int threads = 1;                                 ///< number of threads
  std::vector<std::filesystem::path> inputs = {};  ///< files used by the experiment, absolute
  std::string linear_solver = {};                  ///< choice of `auto`; empty: no implicit step
};

/// How a command treats an earlier run of the same name.
struct EarlierRun {
  bool resume = false;     ///< continue an incomplete one
  bool overwrite = false;  ///< replace any; with `resume`, replace a run that took the name in the meantime
};

/// Target folder of a run and its options.
struct RunOrder {
  std::filesystem::path target;  ///< final path of the run folder
  Provenance provenance;         ///< for run.yaml
  EarlierRun earlier = {};       ///< default: the target must not exist
  bool progress = false;         ///< show a progress bar
};

/// The folder of a run. During the run it is called `<target>.partial` and locked against other programs; `finish`
/// renames it atomically, so that `<target>` never contains parts of two runs. A killed run leaves `<target>.partial`,
/// which `--resume` continues. The folder's record lists the files that the program created: nothing else is ever
/// removed, and the user's own files in a replaced run folder move into the new one.
class RunFolder {
 public:
  /// Throws InvalidArgument, as the constructor would, if the folder cannot be created; writes nothing.
  static void check(const std::filesystem::path& target, EarlierRun earlier);
  /// Whether this program wrote the folder (according to its run.yaml).
  static bool is_run_folder(const std::filesystem::path& folder);
  /// `<target>.partial`, with symbolic links of the target followed.
  static std::filesystem::path partial(const std::filesystem::path& target);

  /// Creates `<target>.partial`, or continues an existing one (see `resumed`).
  RunFolder(const std::filesystem::path& target, const InputRecord& inputs, EarlierRun earlier);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  /// Whether the folder contains the first part of this same run.
  bool resumed() const { return resumed_; }
  /// Removes the output of the first part.
  void begin_again();

  /// Path of a file of the run.
  std::filesystem::path file(const std::string& name);
  /// Writes run.yaml: the experiment with every default, and its origin.
  void write_experiment(const Tree& filled, const Provenance& provenance);
  /// Writes or replaces a text file of the run; throws std::runtime_error on a write error.
  void write_text(const std::string& name, const std::string& text);
  /// Removes a file or folder of the run, and everything in it that the program created.
  void remove(const std::string& name);

  /// Marks the run as complete and gives the folder its final name.
  void finish();
  /// Marks the run as interrupted; the folder gets its final name unless another run has it.
  void leave_incomplete();
  /// Removes the folder, after a run that could not start.
  void abandon();
  /// Current path of the run: `<target>`, or `<target>.partial`.
  const std::filesystem::path& place() const { return place_; }

 private:
  void go_on(const FolderRecord& begun, const std::filesystem::path& place);
  void give_name();

  std::filesystem::path target_, place_;
  std::filesystem::path made_;  // topmost folder that had to be created
  FolderRecord record_;
  FolderLock lock_;
  bool resumed_ = false;
};

/// A run folder for work in many parts, each stored in a ledger when it is complete. A killed or interrupted program
/// leaves the ledger; a resumed one requests the same parts and finds the stored ones there.
class KeptWork {
 public:
  /// Creates or resumes the run folder, and writes run.yaml with `filled`. Throws InvalidArgument as RunFolder does.
  KeptWork(const RunOrder& order, const Tree& filled);

  /// Does the work. If it throws, completed parts are kept, except after InvalidArgument (the work is impossible).
  void make(const std::function<void(optim::Ledger& ledger)>& work);
  /// Writes the result files and gives the folder its final name.
  void finish(const std::vector<std::pair<std::string, nlohmann::ordered_json>>& results);

 private:
  RunFolder folder_;
};

}  // namespace pithball::app
