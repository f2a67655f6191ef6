#include "app/experiment/sweep_spec.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "app/backend/backend_choice.hpp"
#include "app/experiment/fit_spec.hpp"
#include "app/experiment/recording/recording_list.hpp"
#include "app/experiment/sweep_axes.hpp"
#include "datasets/manifest/manifest.hpp"
#include "sim/core/checked_product.hpp"
#include "sim/core/counter_noise.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t seeds_of_tasks = 907;  // stream of random numbers

const std::vector<std::string> swept_commands{"simulate", "fit", "identify"};

Node sweep_node(Node& root) { return root.child("sweep", "many runs of this experiment (docs/cluster.md)", true); }

std::string read_command(Node& sweep) {
  return sweep.choice("command", swept_commands, "what each task does", "simulate");
}

/// Rejects keys that the command does not use: all tasks would be identical.
void reject_unused_keys(const Node& sweep, const std::string& command) {
  const auto needs = [&](const char* key, bool is_used, const char* commands) {
    if (!is_used && sweep.has(key))
      sweep.reject(key, std::string("needs ") + commands, "command: " + command, "write `command: fit`");
  };
  needs("recordings", command != "simulate", "`command: fit` or `command: identify`");
  needs("bootstrap", command != "simulate", "`command: fit` or `command: identify`");
  needs("starts", command == "fit", "`command: fit`");
}

std::uint64_t read_seed(Node& sweep) {
  return static_cast<std::uint64_t>(sweep.integer("seed", "seed of everything that the sweep draws", 1));
}

/// Returns the absolute name of the file given by `{dataset: NAME, path: FILE}`.
std::string file_of_data_set(const Tree& reference) {
  const Tree* path = reference.find("path");
  const fs::path folder = datasets::find_dataset(datasets::load_manifest(), reference.find("dataset")->text);
  return fs::absolute(path ? folder / path->text : folder).string();
}

/// Makes file names absolute, so that tasks may run in any folder. `filled`: the document after reading, with the
/// absolute form of each relative name.
void take_absolute_names(Tree& written, const Tree& filled) {
  if (written.kind != filled.kind) return;
  if (written.find("dataset")) {
    written.text = file_of_data_set(written);
    written.quoted = true;
    written.kind = Tree::Kind::Scalar;
    written.entries.clear();
    return;
  }
  if (written.kind == Tree::Kind::Scalar) {
    if (filled.text.starts_with('/') && written.text != filled.text) written.text = filled.text;
    return;
  }
  for (std::size_t k = 0; k < written.entries.size(); ++k) {
    Tree& entry = written.entries[k];
    const bool is_map = written.kind == Tree::Kind::Map;
    const Tree* same = is_map ? filled.find(entry.key) : k < filled.entries.size() ? &filled.entries[k] : nullptr;
    if (same) take_absolute_names(entry, *same);
  }
}

/// Concatenates all values of all scenarios [SI units].
Vector values_of(const std::vector<diff::Scenario>& scenarios) {
  Vector all;
  for (const diff::Scenario& scenario : scenarios) {
    const Vector own = scenario.physical_values();
    all.conservativeResize(all.size() + own.size());
    all.tail(own.size()) = own;
  }
  return all;
}

/// The experiment as the command of a sweep reads it.
struct CommandInput {
  Tree filled;  ///< with all defaults filled in
  std::vector<std::string> doubts;
  Vector written;  ///< values of a fit's models as written in the file; empty for a simulation
  Vector started;  ///< these values where the search starts
};

CommandInput read_as(const std::string& command, const ExperimentDocument& document) {
  if (command == "simulate") {
    Experiment experiment = read_experiment(document);
    require_own_backend(experiment.backend, "sweep");
    return {
        .filled = std::move(experiment.filled), .doubts = std::move(experiment.notes), .written = {}, .started = {}};
  }
  FitSpec spec = read_fit(document, command == "fit" ? FitPurpose::Fit : FitPurpose::Prediction);
  const optim::ParameterMap& map = spec.fit->map();
  return {.filled = std::move(spec.filled),
          .doubts = std::move(spec.doubts),
          .written = values_of(spec.problem().scenarios),
          .started = values_of(map.scatter(map.initial()))};
}

/// Rejects a sweep of values that a parameter's `initial` overrides: all its fits would be identical.
void reject_replaced(const SweepSetting& setting, const CommandInput& first, const CommandInput& other) {
  const bool differ = first.written.size() == other.written.size() && first.written != other.written;
  if (differ && first.started == other.started)
    throw InvalidArgument({setting.value.place.source ? setting.value.place.text() : "sweep", setting.path,
                           "must change where the fits start", "values that `initial` in fit.parameters replaces",
                           "leave out that `initial`, or sweep it: fit.parameters.0.charge.initial"});
}

/// Rejects a key that two axes set: the value of the first would be lost.
void reject_shared_keys(const Node& sweep, const std::vector<SweepAxis>& axes) {
  std::set<std::string> known;
  for (const SweepAxis& axis : axes)
    for (const SweepSetting& setting : axis.at(0, 0).settings)
      if (!known.insert(setting.path).second)
        sweep.reject("", "must set each key in one place", "'" + setting.path + "' twice", "leave one out");
}

/// Reads seed and axes, the last keys of the section. `document`: as for `read_sweep_axes`.
SweepTasks read_tasks(Node& sweep, const ExperimentDocument& document) {
  SweepTasks tasks;
  tasks.seed = read_seed(sweep);
  tasks.axes = read_sweep_axes(sweep, document, tasks.seed);
  sweep.reject_unknown_keys();
  reject_shared_keys(sweep, tasks.axes);
  if (tasks.axes.empty())
    sweep.reject("", "must name what differs between the tasks", "nothing",
                 "write grid, latin_hypercube, seeds, starts, bootstrap or recordings below it");
  std::vector<std::size_t> sizes;
  for (const SweepAxis& axis : tasks.axes) sizes.push_back(axis.size);
  const auto count = checked_product(sizes, most_tasks);
  if (!count)
    sweep.reject("", fmt::format("must make at most {} tasks", most_tasks), fmt::format("{}", fmt::join(sizes, " x ")),
                 "give fewer values, or several sweeps");
  tasks.count = static_cast<Index>(*count);
  return tasks;
}

/// Returns the document without the parts that do not belong to the experiment of a task.
ExperimentDocument without_sweep(ExperimentDocument document) {
  std::erase_if(document.root.entries,
                [](const Tree& entry) { return entry.key == "sweep" || entry.key == "provenance"; });
  return document;
}

/// Checks the sweep by reading the experiment with each swept value that is written in the file.
void check_points(const SweepSpec& spec) {
  for (const SweepAxis& axis : spec.tasks.axes) {
    std::map<std::string, CommandInput> first_with;  // by key
    for (const SweepPoint& point : axis.to_check) {
      CommandInput input;
      try {
        input = read_as(spec.command, with_settings(spec.experiment, point.settings));
      } catch (const InvalidArgument& error) {
        InvalidArgument::Parts parts = error.parts();
        parts.what =
            fmt::format("sweep: with {} = {}: {}", point.labels.front().first, point.labels.front().second, parts.what);
        throw InvalidArgument(std::move(parts));
      }
      if (point.settings.size() != 1) continue;
      const SweepSetting& setting = point.settings.front();
      const auto [first, is_new] = first_with.try_emplace(setting.path, input);
      if (!is_new) reject_replaced(setting, first->second, input);
    }
  }
}

}  // namespace

SweepTask SweepTasks::task(Index number) const {
  SweepTask task;
  task.number = number;
  task.seed = static_cast<std::uint64_t>(std::ldexp(sim::CounterNoise(seed, seeds_of_tasks).uniform(number, 0), 53));
  std::vector<Index> at(axes.size());
  for (std::size_t k = axes.size(); k-- > 0; number /= axes[k].size) at[k] = number % axes[k].size;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    SweepPoint point = axes[k].at(at[k], task.seed);
    std::ranges::move(point.settings, std::back_inserter(task.settings));
    std::ranges::move(point.labels, std::back_inserter(task.labels));
  }
  return task;
}

ExperimentDocument with_settings(ExperimentDocument document, const std::vector<SweepSetting>& settings) {
  for (const SweepSetting& setting : settings) {
    const std::string place = setting.value.place.source ? setting.value.place.text() : "sweep";
    set_at(document.root, setting.path, setting.value, place);
  }
  return document;
}

SweepSpec read_sweep(const ExperimentDocument& document) {
  reject_unlisted_keys(document);
  Reading reading(document.root, document.folder, document.inputs);
  Node root = reading.root();
  Node sweep = sweep_node(root);
  SweepSpec spec;
  spec.command = read_command(sweep);
  reject_unused_keys(sweep, spec.command);
  ExperimentDocument bare = without_sweep(document);
  if (spec.command != "simulate") bare = with_whole_recordings(bare);
  CommandInput input = read_as(spec.command, bare);
  spec.doubts = std::move(input.doubts);
  take_absolute_names(bare.root, input.filled);
  spec.name = bare.root.find("name")->text;
  spec.tasks = read_tasks(sweep, bare);
  spec.experiment = std::move(bare);
  check_points(spec);
  return spec;
}

SweepTasks read_planned_tasks(const ExperimentDocument& plan) {
  Reading reading(plan.root, plan.folder, plan.inputs);
  Node root = reading.root();
  Node sweep = sweep_node(root);
  read_command(sweep);
  return read_tasks(sweep, without_sweep(plan));
}

void describe_sweep(Node& root) {
  Node sweep = sweep_node(root);
  read_command(sweep);
  read_seed(sweep);
  read_sweep_axes(sweep, {}, 1);
}

}  // namespace pithball::app
