#include "app/sweep/work.hpp"

#include <fmt/format.h>

#include "app/base/interruption.hpp"
#include "app/base/progress.hpp"
#include "app/base/worker_processes.hpp"
#include "app/sweep/task_run.hpp"

namespace pithball::app {
namespace {

/// A task during which the program was killed so often has failed: it would kill the next one, too.
constexpr int most_killed = 10;

TaskResult failed_result(const SweepTask& task, const std::string& error) {
  return {.task = task.number, .status = TaskResult::task_failed, .labels = task.labels, .figures = {}, .error = error};
}

/// The result of a task that nobody else does; none if it was stopped.
std::optional<TaskResult> attempt(const PlanFolder& plan, const SweepTask& task, int earlier_starts) {
  if (earlier_starts >= most_killed)
    return failed_result(task, fmt::format("the program was killed {} times during this task", earlier_starts));
  std::vector<std::string> errors = plan.failures(task.number);
  while (errors.size() < most_failures) {
    try {
      return run_task(task, plan.experiment(task), plan.record().command);
    } catch (const std::exception& error) {
      if (Interruption::flag()) return {};
      errors.emplace_back(error.what());
      plan.add_failure(task.number, errors.back());
    }
  }
  return failed_result(task, errors.back());
}

enum class TaskEnd { Done, There, Busy, Stopped };

/// Does a task that has no result and that no other program has claimed.
TaskEnd do_task(const PlanFolder& plan, Index number) {
  if (plan.has_result(number)) return TaskEnd::There;
  std::optional<TaskClaim> claim = plan.claim(number);
  if (!claim) return TaskEnd::Busy;
  TaskEnd end = TaskEnd::There;  // by a program that has just finished it
  if (!plan.has_result(number)) {
    const std::optional<TaskResult> result = attempt(plan, plan.task(number), claim->earlier_starts());
    if (result) plan.write(*result);
    end = result ? TaskEnd::Done : TaskEnd::Stopped;
  }
  claim->settle();
  return end;
}

Index results_in(const PlanFolder& plan, TaskRange range) {
  Index count = 0;
  for (Index number = range.first; number < range.end; ++number) count += plan.has_result(number);
  return count;
}

Index failures_in(const PlanFolder& plan, TaskRange range) {
  Index failed = 0;
  for (Index number = range.first; number < range.end; ++number) {
    const std::optional<TaskResult> result = plan.result(number);
    failed += result && result->failed();
  }
  return failed;
}

}  // namespace

WorkDone do_tasks(const PlanFolder& plan, TaskRange range, bool progress) {
  const Interruption interruption;
  Progress bar("run " + plan.record().name, static_cast<double>(range.end - range.first), progress);
  WorkDone work;
  for (Index number = range.first; number < range.end && !work.stopped; ++number) {
    bar.update(static_cast<double>(number - range.first));
    const TaskEnd end = do_task(plan, number);
    work.done += end == TaskEnd::Done;
    work.there += end == TaskEnd::There;
    work.busy += end == TaskEnd::Busy;
    work.stopped = end == TaskEnd::Stopped;
  }
  work.failed = failures_in(plan, range);
  return work;
}

WorkDone do_tasks(const PlanFolder& plan, TaskRange range, bool progress, const LocalWorkers& workers) {
  const Interruption interruption;
  WorkDone work;
  work.there = results_in(plan, range);
  const Index all = range.end - range.first;
  if (work.there < all) {
    Progress bar("run " + plan.record().name, static_cast<double>(all), progress);
    WorkerProcesses processes(
        {workers.program.string(), "run", plan.folder().string(), "--quiet", "--task",
         fmt::format("{}-{}", range.first, range.end - 1), "--threads", fmt::format("{}", workers.threads)},
        workers.processes);
    const auto look = [&, first = range.first, known = Index(0)]() mutable {
      while (first < range.end && plan.has_result(first)) ++first, ++known;  // what is behind is not asked again
      bar.update(static_cast<double>(known));
      return static_cast<long>(known);
    };
    try {
      processes.wait(look);
    } catch (const std::runtime_error&) {
      if (!interruption.requested()) throw;
      work.stopped = true;
    }
  }
  const Index now = results_in(plan, range);
  work.done = now - work.there;
  work.busy = work.stopped ? 0 : all - now;
  work.failed = failures_in(plan, range);
  return work;
}

}  // namespace pithball::app
