#pragma once
#include "app/sweep/plan_folder.hpp"

namespace pithball::app {

/// Tasks of a plan: from `first` to before `end`.
struct TaskRange {
  Index first = 0;  ///< number of the first task
  Index end = 0;    ///< one past that of the last
};

/// Outcome of the tasks of a range.
struct WorkDone {
  Index done = 0;        ///< by this call
  Index there = 0;       ///< had a result before
  Index busy = 0;        ///< another program is working on them
  Index failed = 0;      ///< of all results in the range: those whose task threw three times
  bool stopped = false;  ///< an Interruption requested it
};

/// A task that throws this often has failed.
inline constexpr int most_failures = 3;

/// Does the tasks of a range that have no result and that no other program has claimed, in order. A task that throws is
/// tried again; after `most_failures` its result is the error.
WorkDone do_tasks(const PlanFolder& plan, TaskRange range, bool progress);

/// Processes that do tasks, each called as `program run PLAN --task FIRST-LAST --threads … --quiet`.
struct LocalWorkers {
  std::filesystem::path program;  ///< the executable `pithball`
  int processes = 1;              ///< their number
  int threads = 1;                ///< of each
};
/// The same in several processes. Throws std::runtime_error if they end again and again without a result.
WorkDone do_tasks(const PlanFolder& plan, TaskRange range, bool progress, const LocalWorkers& workers);

}  // namespace pithball::app
