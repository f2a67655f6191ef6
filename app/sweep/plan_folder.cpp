#include "app/sweep/plan_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>

#include "app/base/json_text.hpp"
#include "app/base/new_file.hpp"
#include "app/base/new_folder.hpp"
#include "app/base/version.hpp"
#include "app/result/json_fields.hpp"
#include "app/run_folder/input_record.hpp"
#include "app/run_folder/json_reading.hpp"
#include "app/spec/experiment_file.hpp"
#include "app/sweep/slurm_script.hpp"
#include "datasets/manifest/sha256.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

namespace fs = std::filesystem;

namespace {

constexpr const char *tasks_room = "tasks", *results_room = "results", *failures_room = "failures",
                     *claims_room = "claims";
constexpr const char* plan_head =
    "# Written by `pithball sweep`: the experiment of all tasks, which set what differs (tasks/). Defaults are those "
    "of\n"
    "# the program, because a default may follow a value that a task sets. Do not change this file.\n";

std::string task_text(const SweepTask& task) {
  const Tree nothing = empty_tree(Tree::Kind::Map);
  Tree text = nothing, labels = nothing, settings = nothing;
  for (const auto& [name, label] : task.labels) put(labels, name, quoted_scalar(label));
  for (const SweepSetting& setting : task.settings) put(settings, setting.path, setting.value);
  put(text, "task", make_scalar(fmt::format("{}", task.number)));
  put(text, "seed", make_scalar(fmt::format("{}", task.seed)));
  put(text, "labels", std::move(labels));
  put(text, "set", std::move(settings));
  return to_yaml(text);
}

std::string name_of(Index number) { return fmt::format("{:07}", number); }

void require_plan(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_regular_file(folder / "plan.json", ignored))
    throw InvalidArgument({folder.string(), "", "must be a plan folder",
                           fs::exists(folder, ignored) ? "no plan.json in it" : "no such folder",
                           "make one with `pithball sweep FILE.yaml`"});
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
  const SweepRecord record{.program = fmt::format("pithball {}", version),
                           .command = spec.command,
                           .name = spec.name,
                           .tasks = spec.tasks,
                           .experiment = origin.experiment,
                           .folder = spec.experiment.folder.string(),
                           .overrides = origin.overrides,
                           .files = make_input_record(spec.experiment.root, with_inputs).files};
  folder.write("plan.yaml", plan_head + to_yaml(written));
  folder.write("plan.json", json_text(to_json(record)) + "\n");
  folder.write("slurm.sh", slurm_script(record.name, record.tasks, fs::absolute(target)));
  for (const char* room : {results_room, failures_room, claims_room, tasks_room})
    fs::create_directory(folder.add(room));
  const fs::path tasks = folder.add(tasks_room);
  for (Index number = 0; number < spec.tasks; ++number) {
    const fs::path file = tasks / (name_of(number) + ".yaml");
    std::ofstream out(file, std::ios::binary);
    out << task_text(spec.task(number));
    out.close();
    if (!out) throw std::runtime_error(fmt::format("cannot write {}: is the disk full?", file.string()));
  }
  folder.finish();
}

PlanFolder::PlanFolder(fs::path folder) : folder_(std::move(folder)) {
  require_plan(folder_);
  record_ = read_json_file(folder_ / "plan.json", read_result<SweepRecord>);
  const fs::path plan = folder_ / "plan.yaml";
  document_ = parse_document(datasets::read_text_file(plan.string(), "plan"), {plan.string(), record_.folder});
  std::erase_if(document_.root.entries, [](const Tree& one) { return one.key == "sweep"; });
}

void PlanFolder::require_same_inputs() const {
  const std::string program = fmt::format("pithball {}", version);
  const std::string remedy = "make a new plan with `pithball sweep`";
  if (record_.program != program)
    throw InvalidArgument({folder_.string(), "", "must be a plan of " + program, record_.program, remedy});
  for (const auto& [file, sum] : record_.files) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored))
      throw InvalidArgument(
          {folder_.string(), "", "needs the file '" + file + "'", "none", "put it back, or " + remedy});
    if (datasets::sha256_of_file(file) != sum)
      throw InvalidArgument({folder_.string(), "", "needs the file '" + file + "' as it was when the plan was made",
                             "another content", "put it back, or " + remedy});
  }
}

fs::path PlanFolder::file(const char* room, Index number, const char* ending) const {
  if (number < 0 || number >= tasks())
    throw InvalidArgument({folder_.string(), "task", fmt::format("must be from 0 to {}", tasks() - 1),
                           fmt::format("{}", number), "tasks are numbered from 0"});
  return folder_ / room / (name_of(number) + ending);
}

SweepTask PlanFolder::task(Index number) const {
  const fs::path place = file(tasks_room, number, ".yaml");
  const Tree written = parse_yaml(datasets::read_text_file(place.string(), "task"), place.string());
  const Tree *seed = written.find("seed"), *labels = written.find("labels"), *settings = written.find("set");
  if (!seed || !labels || !settings)
    throw InvalidArgument({place.string(), "", "must be as the program wrote it", "another file",
                           "make a new plan with `pithball sweep`"});
  SweepTask task{number, std::stoull("0" + seed->text), {}, {}};
  for (const Tree& label : labels->entries) task.labels.emplace_back(label.key, label.text);
  for (const Tree& setting : settings->entries) {
    task.settings.push_back({setting.key, setting});
    task.settings.back().value.key.clear();
  }
  return task;
}

ExperimentDocument PlanFolder::experiment(const SweepTask& task) const {
  return with_settings(document_, task.settings);
}

bool PlanFolder::has_result(Index number) const {
  std::ifstream in(file(results_room, number, ".json"), std::ios::binary);
  return in.seekg(-2, std::ios::end) && in.get() == '}' && in.get() == '\n';
}

std::optional<TaskResult> PlanFolder::result(Index number) const {
  if (!has_result(number)) return {};
  return read_json_file(file(results_room, number, ".json"), read_result<TaskResult>);
}

void PlanFolder::write(const TaskResult& result) const {
  replace_file(file(results_room, result.task, ".json").string(), json_text(to_json(result), -1) + "\n");
}

void PlanFolder::forget(Index number) const {
  std::error_code ignored;
  fs::remove(file(failures_room, number, ".json"), ignored);
  fs::remove(file(results_room, number, ".json"), ignored);
}

std::optional<TaskClaim> PlanFolder::claim(Index number) const {
  const fs::path place = file(claims_room, number, "");
  const int descriptor = open(place.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) throw std::runtime_error(fmt::format("cannot write {}", place.string()));
  TaskClaim claim(place, descriptor, static_cast<int>(lseek(descriptor, 0, SEEK_END)));
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return {};
  // On a file system without locks two programs may do one task at once, with the same result.
  if (::write(descriptor, "x", 1) != 1) throw std::runtime_error(fmt::format("cannot write {}", place.string()));
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
