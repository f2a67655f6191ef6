#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/experiment/sweep_spec.hpp"
#include "app/result/sweep_record.hpp"
#include "app/run_folder/run_folder.hpp"

namespace pithball::app {

/// The right to do a task, held as long as this object. The operating system takes it back if the program dies.
class TaskClaim {
 public:
  /// `descriptor`: of the locked file, closed at the end; `starts`: as `earlier_starts`.
  TaskClaim(std::filesystem::path file, int descriptor, int starts)
      : file_(std::move(file)), descriptor_(descriptor), starts_(starts) {}
  ~TaskClaim();
  /// The claim passes to the new object.
  TaskClaim(TaskClaim&& other) noexcept;
  TaskClaim(const TaskClaim&) = delete;
  TaskClaim& operator=(const TaskClaim&) = delete;

  /// How often the task was begun before and not ended, because the program was killed.
  int earlier_starts() const { return starts_; }
  /// Removes what the claim leaves in the plan folder, by which a program that was killed would be noticed.
  void settle();

 private:
  std::filesystem::path file_;
  int descriptor_;
  int starts_;
};

/// Writes a plan folder:
///    plan.yaml   the experiment as written, with all that it includes, absolute file names and its section `sweep:`
///    plan.json   SweepRecord
///    results/, failures/, claims/
///    slurm.sh    a Slurm array over the tasks
/// The folder appears at once, when it is complete. `section`: `sweep:` as written; `origin`: experiment and overrides
/// of the plan. Throws InvalidArgument if the folder exists.
void write_plan(const SweepSpec& spec, const Tree& section, const Provenance& origin,
                const std::filesystem::path& target);

/// A plan folder that is open for work. Any number of programs may work on it, on one machine or several. It may be
/// shared with others: no file in it is written through a link, and only regular files are read.
class PlanFolder {
 public:
  /// Throws InvalidArgument if the folder is not a plan, or its plan.yaml has changed since the plan was made.
  explicit PlanFolder(std::filesystem::path folder);
  /// Throws InvalidArgument if the program is of another version than the one that made the plan, results are there
  /// of another build or of another plan, or an input file has changed since.
  void require_same_inputs() const;

  /// The folder as it was given.
  const std::filesystem::path& folder() const { return folder_; }
  /// plan.json.
  const SweepRecord& record() const { return record_; }
  /// Number of tasks.
  Index tasks() const { return record_.tasks; }

  /// What a task sets: a function of the plan and the number. Throws InvalidArgument if the plan has no such task.
  SweepTask task(Index number) const;
  /// The experiment with the settings of a task.
  ExperimentDocument experiment(const SweepTask& task) const;

  /// Whether the task has a complete result.
  bool has_result(Index number) const;
  /// Its result; none if there is none, or only part of one (if the file system lost data that it had reported as
  /// written). Throws InvalidArgument if it is one of another plan.
  std::optional<TaskResult> result(Index number) const;
  /// Writes the result to disk, with the build of the program and the checksum of the plan, then gives it its name.
  void write(TaskResult result) const;
  /// Removes a result and the failures before it.
  void forget(Index number) const;

  /// The right to do a task; none if another program holds it.
  std::optional<TaskClaim> claim(Index number) const;
  /// Failures of a task so far, one text each.
  std::vector<std::string> failures(Index number) const;
  /// Adds one to them, on disk.
  void add_failure(Index number, const std::string& error) const;

 private:
  void require_task(Index number) const;
  std::filesystem::path file(const char* room, Index number, const char* ending) const;
  void require_own_results() const;

  std::filesystem::path folder_;
  SweepRecord record_;
  std::string sum_;  // SHA-256 of plan.json
  ExperimentDocument document_;
  SweepTasks tasks_;
};

}  // namespace pithball::app
