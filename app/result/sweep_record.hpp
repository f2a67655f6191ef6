#pragma once
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/result/not_known.hpp"
#include "sim/core/field_list.hpp"
#include "sim/core/types.hpp"

namespace pithball::app {

using sim::Index;

/// plan.json of a sweep: all that its tasks depend on besides plan.yaml.
struct SweepRecord {
  std::string program;                       ///< "pithball 1.2.3"
  std::string command;                       ///< "simulate", "fit" or "identify"
  std::string name;                          ///< of the experiment
  Index tasks = 0;                           ///< their number
  std::string experiment;                    ///< absolute path of the file
  std::string folder;                        ///< base of its relative file names
  std::string plan;                          ///< SHA-256 of plan.yaml
  std::vector<std::string> overrides;        ///< of `--set`
  std::map<std::string, std::string> files;  ///< SHA-256 of every input file, by absolute path
};

/// A cell of the table: a number, not known if it is not finite, or text.
using Figure = std::variant<double, std::string>;

/// results/<number>.json: what one task found.
struct TaskResult {
  Index task = 0;                                           ///< its number
  std::string status;                                       ///< of the run; "failed": it threw three times
  std::vector<std::pair<std::string, std::string>> labels;  ///< what distinguishes the task
  std::vector<std::pair<std::string, Figure>> figures;      ///< in order, by name
  std::string error;                                        ///< why it failed, or what is wrong with the run
  double seconds = not_known;                               ///< of the task, by the clock
  std::string program = {};                                 ///< that made it: `program_build`
  std::string plan = {};                                    ///< SHA-256 of the plan.json of which it is a task

  /// Whether the task threw three times.
  bool failed() const { return status == task_failed; }
  /// The status of such a task.
  static constexpr const char* task_failed = "failed";
};

/// plan.json of a sweep.
void fields(FieldVisitor& v, SweepRecord& record);
/// results/<number>.json.
void fields(FieldVisitor& v, TaskResult& result);

}  // namespace pithball::app
