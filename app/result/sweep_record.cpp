#include "app/result/sweep_record.hpp"

namespace pithball::app {

void fields(FieldVisitor& v, SweepRecord& record) {
  v.is("SweepPlan", "all that the tasks of a sweep depend on besides plan.yaml");
  v("program", record.program, "name and version");
  v("command", record.command, "\"simulate\", \"fit\" or \"identify\"");
  v("name", record.name, "of the experiment");
  v("tasks", record.tasks, "number of tasks");
  v("experiment", record.experiment, "absolute path of the file");
  v("folder", record.folder, "base of its relative file names");
  v("plan", record.plan, "SHA-256 of plan.yaml");
  v("overrides", record.overrides, "what `--set` changed");
  v("files", record.files, "SHA-256 of every input file, by absolute path");
}

void fields(FieldVisitor& v, TaskResult& result) {
  v.is("TaskResult", "what one task of a sweep found");
  v("task", result.task, "its number");
  v("status", result.status, "of the run; \"failed\": it could not be made");
  v("labels", result.labels, "what distinguishes the task: names and texts");
  v("figures", result.figures, "names and numbers, or texts");
  v("error", result.error, "why it failed, or what is wrong with the run; empty: nothing");
  v("seconds", result.seconds, in("s"), "duration of the task");
  v("program", result.program, "the build of the program that made it");
  v("plan", result.plan, "SHA-256 of the plan.json of which it is a task");
}

}  // namespace pithball::app
