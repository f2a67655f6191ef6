#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/run_folder/folder_record.hpp"
#include "app/yaml/tree.hpp"

namespace pithball::app {

/// How a run came about; the part `provenance:` of run.yaml.
struct Provenance {
  std::string command;     ///< "simulate"
  std::string experiment;  ///< absolute name of the file
  std::vector<std::string> overrides;
  int threads = 1;
  std::vector<std::filesystem::path> inputs = {};  ///< files that the experiment names, absolute
  std::string linear_solver = {};                  ///< what `auto` chose; empty: no implicit step
};

/// What a command may do with an earlier run of the same name.
struct EarlierRun {
  bool resume = false;     ///< go on with an incomplete one
  bool overwrite = false;  ///< replace any; where one is to be resumed, replace what bears the name meanwhile
};

/// Where a run goes, and what is to be said of it.
struct RunOrder {
  std::filesystem::path target;
  Provenance provenance;
  EarlierRun earlier = {};
  bool progress = false;  ///< draw a bar
};

/// The folder that a run leaves. While the run lasts it is called `<target>.partial` and locked against other programs;
/// `finish` gives it its name in one step, so that `<target>` never holds half of one run and half of another. A killed
/// run leaves `<target>.partial`, which `--resume` takes up. The folder's record says what the program made in it:
/// nothing else is ever removed, and what the user put into a run folder that is replaced moves into the new one.
class RunFolder {
 public:
  /// Throws InvalidArgument, as the constructor would, if the folder cannot be made; writes nothing.
  static void check(const std::filesystem::path& target, EarlierRun earlier);
  /// Whether a folder was written by this program (its run.yaml says so).
  static bool is_run_folder(const std::filesystem::path& folder);
  static std::filesystem::path partial(const std::filesystem::path& target);

  /// Makes `<target>.partial`, or goes on with the one that is there (see `resumed`).
  RunFolder(const std::filesystem::path& target, const InputRecord& inputs, EarlierRun earlier);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  /// Whether the folder holds the first part of this very run.
  bool resumed() const { return resumed_; }
  /// Removes what the first part left.
  void begin_again();

  /// Where a file of the run goes.
  std::filesystem::path file(const std::string& name);
  /// run.yaml: the experiment with every default, and where it came from.
  void write_experiment(const Tree& filled, const Provenance& provenance);
  void write_text(const std::string& name, const std::string& text);
  /// Removes a file or folder of the run, and what the program made below it.
  void remove(const std::string& name);

  /// The run came to its end.
  void finish();
  /// The run was interrupted: it bears its name where nothing else does.
  void leave_incomplete();
  /// Removes the folder: nothing is left of a run that could not begin.
  void abandon();
  /// Where the run is found now: `<target>`, or `<target>.partial`.
  const std::filesystem::path& place() const { return place_; }

 private:
  void go_on(const FolderRecord& begun, const std::filesystem::path& place);
  void give_name();

  std::filesystem::path target_, place_;
  std::filesystem::path made_;  // the uppermost folder that had to be made for it
  FolderRecord record_;
  FolderLock lock_;
  bool resumed_ = false;
};

}  // namespace pithball::app
