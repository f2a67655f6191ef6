#include "app/sweep/plan_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "app/base/json_text.hpp"
#include "app/base/new_file.hpp"
#include "app/base/version.hpp"
#include "app/experiment/experiment_file.hpp"
#include "app/result/json_fields.hpp"
#include "app/run_folder/folder_record.hpp"
#include "app/run_folder/json_reading.hpp"
#include "datasets/manifest/sha256.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"
#include "sim/core/types.hpp"

namespace pithball::app {

/// Returns a Slurm batch script that runs the tasks of a plan folder as an array of at most 1,000 jobs. Each job does a
/// block of tasks on one processor.
std::string slurm_script(const std::string& name, sim::Index tasks, const std::filesystem::path& plan);

namespace {

constexpr sim::Index most_jobs = 1000;  // Slurm's default limit of array jobs (MaxArraySize)

/// Encloses a text in single quotes for a shell.
std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string slurm_script(const std::string& name, sim::Index tasks, const std::filesystem::path& plan) {
  const sim::Index jobs = std::min(tasks, most_jobs);
  std::string title;
  for (const char c : name) title += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return fmt::format(
      "#!/bin/bash\n"
      "#SBATCH --job-name={}\n"
      "#SBATCH --array=0-{}\n"
      "#SBATCH --cpus-per-task=1\n"
      "#SBATCH --output=/dev/null\n"
      "# Submit with `sbatch slurm.sh`; more options (time, partition, memory) on the command line of sbatch. Fewer "
      "jobs with\n"
      "# more tasks each: `sbatch --array=0-99 slurm.sh`.\n"
      "# Submit again to do what is missing. PITHBALL names the program if it is not on PATH.\n"
      "plan={}\n"
      "log=\"$plan/failures/job-$SLURM_ARRAY_TASK_ID.log\"\n"
      "rm -f \"$log\"\n"
      "set -C  # writes into no file, and through no link, that somebody puts there meanwhile\n"
      "exec \"${{PITHBALL:-pithball}}\" run \"$plan\" --block \"$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT\" "
      "--threads 1 --quiet "
      "2>\"$log\"\n",
      title, jobs - 1, shell_quoted(plan.string()));
}

namespace fs = std::filesystem;

namespace {

constexpr const char *results_room = "results", *failures_room = "failures", *claims_room = "claims";
constexpr off_t most_counted_starts = 1000;  // of one task: no decision depends on a higher count
constexpr const char* new_plan = "make a new plan with `pithball sweep`";
constexpr const char* plan_head =
    "# Written by `pithball sweep`: the experiment of all tasks, and what differs between them (sweep). Defaults are "
    "those\n"
    "# of the program, because a default may follow a value that a task sets. Do not change this file.\n";

void require_plan(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_regular_file(folder / "plan.json", ignored))
    throw InvalidArgument({folder.string(), "", "must be a plan folder",
                           fs::exists(folder, ignored) ? "no plan.json in it" : "no such folder",
                           "make one with `pithball sweep FILE.yaml`"});
  for (const char* room : {results_room, failures_room, claims_room})
    if (!fs::is_directory(fs::symlink_status(folder / room, ignored)))
      throw InvalidArgument({(folder / room).string(), "", "must be a folder", "a link, a file, or nothing",
                             "put it back as it was, or " + std::string(new_plan)});
}

/// Whether a file of the plan is a regular file: a link may lead anywhere, and reading a pipe may block forever.
bool is_plain(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(file, ignored));
}

[[noreturn]] void reject_foreign_claim(const fs::path& claim, const char* found) {
  throw InvalidArgument({claim.string(), "", "must be a file that only `pithball run` writes", found, "remove it"});
}

/// Opens a claim file for appending; creates it if it is missing.
int open_claim(const fs::path& claim) {
  const int descriptor = open(claim.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (descriptor < 0 && errno == ELOOP) reject_foreign_claim(claim, "a symbolic link");
  if (descriptor < 0)
    throw std::runtime_error(fmt::format("cannot write {}: {}", claim.string(), std::strerror(errno)));
  struct stat found {};
  if (fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) && found.st_nlink <= 1) return descriptor;
  close(descriptor);
  reject_foreign_claim(claim, S_ISREG(found.st_mode) ? "a file with another name, too" : "a pipe or device");
}

}  // namespace

TaskClaim::~TaskClaim() {
  if (descriptor_ >= 0) close(descriptor_);
}

TaskClaim::TaskClaim(TaskClaim&& other) noexcept
    : file_(std::move(other.file_)), descriptor_(other.descriptor_), starts_(other.starts_) {
  other.descriptor_ = -1;
}

void TaskClaim::settle() {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

void write_plan(const SweepSpec& spec, const Tree& section, const Provenance& origin, const fs::path& target) {
  NewFolder folder(target);
  Tree written = spec.experiment.root;
  written.entries.push_back(section);
  Provenance with_inputs = origin;
  with_inputs.inputs = spec.experiment.inputs->files();
  const std::string plan = plan_head + to_yaml(written);
  const SweepRecord record{.program = fmt::format("pithball {}", version),
                           .command = spec.command,
                           .name = spec.name,
                           .tasks = spec.tasks.count,
                           .experiment = origin.experiment,
                           .folder = spec.experiment.folder.string(),
                           .plan = datasets::sha256_of(plan),
                           .overrides = origin.overrides,
                           .files = make_input_record(spec.experiment.root, with_inputs).files};
  folder.write("plan.yaml", plan);
  folder.write("plan.json", json_text(to_json(record)) + "\n");
  folder.write("slurm.sh", slurm_script(record.name, record.tasks, fs::absolute(target)));
  for (const char* room : {results_room, failures_room, claims_room}) fs::create_directory(folder.add(room));
  folder.finish();
}

PlanFolder::PlanFolder(fs::path folder) : folder_(std::move(folder)) {
  require_plan(folder_);
  const fs::path json = folder_ / "plan.json", plan = folder_ / "plan.yaml";
  const std::string head = datasets::read_text_file(json.string(), "plan");
  sum_ = datasets::sha256_of(head);
  record_ = read_json_text(json, head, read_result<SweepRecord>);
  const std::string text = datasets::read_text_file(plan.string(), "plan");
  if (datasets::sha256_of(text) != record_.plan)
    throw InvalidArgument({plan.string(), "", "must be as the program wrote it", "another content",
                           std::string("put it back, or ") + new_plan});
  document_ = parse_document(text, {plan.string(), record_.folder});
  tasks_ = read_planned_tasks(document_);
  if (tasks_.count != record_.tasks)
    throw InvalidArgument({json.string(), "tasks", fmt::format("must be {}, as plan.yaml makes", tasks_.count),
                           fmt::format("{}", record_.tasks), new_plan});
  std::erase_if(document_.root.entries, [](const Tree& one) { return one.key == "sweep"; });
}

void PlanFolder::require_same_inputs() const {
  const std::string program = fmt::format("pithball {}", version);
  const std::string remedy = std::string("put it back, or ") + new_plan;
  if (record_.program != program)
    throw InvalidArgument({folder_.string(), "", "must be a plan of " + program, record_.program, new_plan});
  for (const auto& [file, sum] : record_.files) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored))
      throw InvalidArgument({folder_.string(), "", "needs the file '" + file + "'", "none", remedy});
    if (datasets::sha256_of_file(file) != sum)
      throw InvalidArgument({folder_.string(), "", "needs the file '" + file + "' as it was when the plan was made",
                             "another content", remedy});
  }
  require_own_results();
}

void PlanFolder::require_own_results() const {
  // Every program checks this before it begins, so all results come from one build, and checking one result is enough.
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / results_room)) {
    const std::optional<Index> number = datasets::parse_integer(entry.path().stem().string());
    if (!number || *number < 0 || *number >= tasks()) continue;
    const std::optional<TaskResult> known = result(*number);
    if (!known) continue;
    if (known->program != program_build())
      throw InvalidArgument({folder_.string(), "", "must be worked on by one build of the program",
                             fmt::format("results of {}, and this is {}", known->program, program_build()),
                             std::string("use that one, or ") + new_plan});
    return;
  }
}

void PlanFolder::require_task(Index number) const {
  if (number < 0 || number >= tasks())
    throw InvalidArgument({folder_.string(), "task", fmt::format("must be from 0 to {}", tasks() - 1),
                           fmt::format("{}", number), "tasks are numbered from 0"});
}

fs::path PlanFolder::file(const char* room, Index number, const char* ending) const {
  require_task(number);
  return folder_ / room / fmt::format("{:07}{}", number, ending);
}

SweepTask PlanFolder::task(Index number) const {
  require_task(number);
  return tasks_.task(number);
}

ExperimentDocument PlanFolder::experiment(const SweepTask& task) const {
  return with_settings(document_, task.settings);
}

bool PlanFolder::has_result(Index number) const {
  const fs::path place = file(results_room, number, ".json");
  if (!is_plain(place)) return false;
  std::ifstream in(place, std::ios::binary);
  return in.seekg(-2, std::ios::end) && in.get() == '}' && in.get() == '\n';
}

std::optional<TaskResult> PlanFolder::result(Index number) const {
  if (!has_result(number)) return {};
  const fs::path place = file(results_room, number, ".json");
  TaskResult found = read_json_file(place, read_result<TaskResult>);
  if (found.plan != sum_ || found.task != number)
    throw InvalidArgument({place.string(), "", fmt::format("must be the result of task {} of this plan", number),
                           found.plan != sum_ ? "one of another plan" : fmt::format("one of task {}", found.task),
                           "remove it, and run the plan again"});
  return found;
}

void PlanFolder::write(TaskResult result) const {
  result.program = program_build();
  result.plan = sum_;
  replace_file(file(results_room, result.task, ".json").string(), json_text(to_json(result), -1) + "\n");
}

void PlanFolder::forget(Index number) const {
  std::error_code ignored;
  fs::remove(file(failures_room, number, ".json"), ignored);
  fs::remove(file(results_room, number, ".json"), ignored);
}

std::optional<TaskClaim> PlanFolder::claim(Index number) const {
  const fs::path place = file(claims_room, number, "");
  const int descriptor = open_claim(place);
  const off_t starts = std::min<off_t>(lseek(descriptor, 0, SEEK_END), most_counted_starts);
  TaskClaim claim(place, descriptor, static_cast<int>(starts));
  if (try_to_lock(descriptor) == Locked::ByOther) return {};
  // On a file system without locks, two programs may do the same task at once, with the same result.
  if (::write(descriptor, "x", 1) != 1)
    throw std::runtime_error(fmt::format("cannot write {}: {}", place.string(), std::strerror(errno)));
  return claim;
}

std::vector<std::string> PlanFolder::failures(Index number) const {
  const fs::path place = file(failures_room, number, ".json");
  if (std::error_code ignored; !fs::exists(place, ignored)) return {};
  return read_texts(place, "errors");
}

void PlanFolder::add_failure(Index number, const std::string& error) const {
  std::vector<std::string> all = failures(number);
  all.push_back(error);
  replace_file(file(failures_room, number, ".json").string(),
               json_text(nlohmann::ordered_json{{"errors", all}}) + "\n");
}

}  // namespace pithball::app
