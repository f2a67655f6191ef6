#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include "app/base/print_message.hpp"
#include "app/commands/command.hpp"
#include "app/sweep/work.hpp"
#include "sim/core/error.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/core/text.hpp"

namespace pithball::app {
namespace {

/// Options as given on the command line.
struct RunOptions {
  std::string plan, task, block;
  int local = 0;
  bool retry = false;
  CommonOptions common;
};

/// Reads two integers around a separator: "3-17", "2/8".
std::optional<std::pair<Index, Index>> read_pair(const std::string& text, char mark) {
  Index first = 0, second = 0;
  const char* const end = text.data() + text.size();
  const auto [middle, bad] = std::from_chars(text.data(), end, first);
  if (bad != std::errc() || middle == end || *middle != mark) return {};
  const auto [last, worse] = std::from_chars(middle + 1, end, second);
  if (worse != std::errc() || last != end) return {};
  return std::pair(first, second);
}

TaskRange read_tasks(const std::string& text, Index tasks) {
  std::optional<std::pair<Index, Index>> pair = read_pair(text, '-');
  if (!pair) pair = read_pair(text + "-" + text, '-');
  if (!pair || pair->first > pair->second || pair->first < 0 || pair->second >= tasks)
    throw InvalidArgument({"", "--task", fmt::format("must be a number or a range from 0 to {}", tasks - 1),
                           "'" + text + "'", "write --task 12 or --task 0-99"});
  return {pair->first, pair->second + 1};
}

TaskRange read_block(const std::string& text, Index tasks) {
  const auto pair = read_pair(text, '/');
  if (!pair || pair->second < 1 || pair->first < 0 || pair->first >= pair->second)
    throw InvalidArgument({"", "--block", "must be a number from 0 and the number of blocks", "'" + text + "'",
                           "write --block 0/8, …, --block 7/8"});
  const auto [block, blocks] = *pair;
  return {tasks / blocks * block + std::min(block, tasks % blocks),
          tasks / blocks * (block + 1) + std::min(block + 1, tasks % blocks)};
}

TaskRange read_range(const RunOptions& options, Index tasks) {
  if (!options.task.empty()) return read_tasks(options.task, tasks);
  if (!options.block.empty()) return read_block(options.block, tasks);
  return {0, tasks};
}

std::string text_of(const RunOptions& options, const PlanFolder& plan, const WorkDone& work) {
  std::string text = fmt::format("{}: {} done, {} had a result", plan.record().name, work.done, work.there);
  if (work.busy > 0) text += fmt::format(", {} are with another program", work.busy);
  if (work.failed > 0) text += fmt::format(", {} failed", work.failed);
  if (work.stopped) return text + "; interrupted, the same command does the rest\n";
  return text + fmt::format("\n  then                   pithball collect {}\n", options.plan);
}

int run_tasks(const RunOptions& options) {
  const PlanFolder plan(options.plan);
  const TaskRange range = read_range(options, plan.tasks());
  plan.require_same_inputs();
  const int threads = use_threads(options.common);
  if (options.retry)
    for (Index number = range.first; number < range.end; ++number)
      if (const auto result = plan.result(number); result && result->failed()) plan.forget(number);
  WorkDone work;
  if (options.local > 0) {
    const int share = options.common.threads > 0 ? options.common.threads : std::max(1, threads / options.local);
    work = do_tasks(plan, range, !options.common.quiet,
                    {std::filesystem::read_symlink("/proc/self/exe"), options.local, share});
  } else {
    work = do_tasks(plan, range, !options.common.quiet);
  }
  const nlohmann::ordered_json json{{"folder", options.plan}, {"done", work.done},     {"there", work.there},
                                    {"busy", work.busy},      {"failed", work.failed}, {"interrupted", work.stopped}};
  print_result(options.common, json, text_of(options, plan, work));
  if (work.failed > 0)  // an error, which `--quiet` does not suppress
    print_message("{}: {} of {} tasks failed; `pithball collect` lists their errors\n", printable(options.plan),
                  work.failed, range.end - range.first);
  if (work.stopped) print_message("{}: interrupted; the same command does the rest\n", printable(options.plan));
  return work.failed > 0 || work.stopped ? NumbersFailed : Done;
}

}  // namespace

Action declare_run(CLI::App& parser) {
  auto options = std::make_shared<RunOptions>();
  parser.add_option("PLAN", options->plan, "The plan folder made by `pithball sweep`")->required()->type_name("PLAN");
  auto* task = parser.add_option("--task", options->task, "Only this task, or these, counted from 0: 12 or 0-99")
                   ->type_name("K|A-B");
  parser
      .add_option("--block", options->block,
                  "Only block I, from 0, of N blocks of all tasks: 3/8, as a cluster's job I")
      ->type_name("I/N")
      ->excludes(task);
  parser.add_option("--local", options->local, "Use this number of processes on this machine")
      ->type_name("J")
      ->check(CLI::Range(1, 4096));
  parser.add_flag("--retry", options->retry, "Do failed tasks again");
  add_threads(parser, options->common);
  add_printing(parser, options->common);
  parser.footer(help_footer(
      "  pithball run runs/torus-sweep --local 2\n  pithball run runs/torus-sweep --task 17\n"
      "  pithball run runs/torus-sweep --block \"$SLURM_ARRAY_TASK_ID/100\" --threads 1 --quiet",
      "Does the tasks of a plan that have no result yet, in order; without --task and --block, all of them. Any "
      "number\n"
      "of programs may work on one plan at once, on any machines that share its folder: each claims a task before it\n"
      "begins, and a claim ends with its program. A result gets its name only when it is whole, so a killed program\n"
      "loses the task that it was at and nothing else; the same command, or another program, does it. With --local "
      "the\n"
      "threads of this machine are divided among the processes. A task that fails three times gets its error as its\n"
      "result (status 1); a run that diverges or does not converge is a result like others. If an input file has\n"
      "changed since the plan was made, nothing is run."));
  return [=] { return run_tasks(*options); };
}

}  // namespace pithball::app
