#pragma once
#include <filesystem>
#include <string>

#include "experiments/yaml/tree.hpp"

namespace pithball::experiments {

/// How a run came about; the part `provenance:` of run.yaml.
struct Provenance {
  std::string command;     ///< "simulate"
  std::string experiment;  ///< absolute name of the file
  std::vector<std::string> overrides;
  int threads = 1;
  std::string linear_solver;  ///< what `auto` chose; empty: no implicit step
};

/// The folder that a run leaves. While the run lasts it is called `<target>.partial`; `finish` gives it its name and
/// removes the earlier run of that name, so that `<target>` never holds half of one run and half of another. A killed
/// run leaves
/// `<target>.partial`, which `--resume` takes up.
class RunFolder {
 public:
  /// Throws InvalidArgument if `target` exists and is neither empty nor a run folder, or its parent cannot hold one;
  /// writes nothing.
  static void check(const std::filesystem::path& target);
  /// Whether a folder was written by this program (its run.yaml says so).
  static bool is_run_folder(const std::filesystem::path& folder);
  static std::filesystem::path partial(const std::filesystem::path& target);
  /// Throws InvalidArgument unless the run in `folder` is one of this very experiment, so that it can be resumed.
  static void require_same(const std::filesystem::path& folder, const Tree& filled);

  /// Makes an empty `<target>.partial`, in place of the leftover of a killed run.
  explicit RunFolder(std::filesystem::path target);

  /// Where a file of the run goes.
  std::filesystem::path file(const std::string& name) const { return partial(target_) / name; }
  /// run.yaml: the experiment with every default, and where it came from.
  void write_experiment(const Tree& filled, const Provenance& provenance) const;
  void write_text(const std::string& name, const std::string& text) const;
  void finish();
  /// Removes `<target>.partial`: nothing is left of a run that could not begin.
  void abandon();
  const std::filesystem::path& target() const { return target_; }

 private:
  std::filesystem::path target_;
};

}  // namespace pithball::experiments
