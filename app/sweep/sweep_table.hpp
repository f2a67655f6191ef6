#pragma once
#include <string>
#include <vector>

#include "app/sweep/plan_folder.hpp"

namespace pithball::app {

/// The results of a sweep as one table, in the order of the tasks.
struct SweepTable {
  std::vector<std::string> labels;   ///< columns that distinguish the tasks
  std::vector<std::string> figures;  ///< columns of what was found, in the order in which they first appear
  std::vector<TaskResult> rows;      ///< one for each task with a result
  Index tasks = 0;                   ///< of the plan
  std::vector<Index> incomplete;     ///< first tasks without a result, at most ten

  /// Number of tasks without a result.
  Index missing() const { return tasks - static_cast<Index>(rows.size()); }
  /// Number of tasks that threw three times.
  Index failed() const;
};

/// Reads all complete results. Throws InvalidArgument if there is none.
SweepTable collect(const PlanFolder& plan);

/// The table as CSV: task, labels, status, figures, error, program, seconds. Numbers have enough digits to be read back
/// bit for bit; a number that is not known is an empty cell. Equal results give equal text but for the seconds.
std::string to_csv(const SweepTable& table);

}  // namespace pithball::app
