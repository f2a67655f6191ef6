#include "experiments/run/run_folder.hpp"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

#include "experiments/version.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {

namespace fs = std::filesystem;

namespace {

constexpr const char* first_line = "# Written by pithball: the experiment of this run with every default filled in.\n";

Tree make_map() {
  Tree map;
  map.kind = Tree::Kind::Map;
  return map;
}

void put(Tree& map, const std::string& key, Tree value) {
  value.key = key;
  map.entries.push_back(std::move(value));
}

Tree make_text(std::string text) {
  Tree scalar = make_scalar(std::move(text));
  scalar.quoted = true;
  return scalar;
}

/// The experiment alone, as text.
std::string experiment_text(Tree document) {
  std::erase_if(document.entries, [](const Tree& entry) { return entry.key == "provenance"; });
  return to_yaml(parse_yaml(to_yaml(document), ""));  // once through the parser: the same numbers, the same text
}

}  // namespace

void RunFolder::require_same(const fs::path& folder, const Tree& filled) {
  if (experiment_text(parse_yaml_file((folder / "run.yaml").string())) != experiment_text(filled))
    throw InvalidArgument({"--resume " + folder.string(), "", "must hold a run of this very experiment",
                           "another one (see its run.yaml)", "run without --resume, or choose another --out"});
}

void RunFolder::abandon() { fs::remove_all(partial(target_)); }

fs::path RunFolder::partial(const fs::path& target) { return fs::path(target.string() + ".partial"); }

bool RunFolder::is_run_folder(const fs::path& folder) {
  std::ifstream file(folder / "run.yaml");
  std::string line;
  return std::getline(file, line) && line + "\n" == first_line;
}

void RunFolder::check(const fs::path& target) {
  std::error_code ignored;
  for (const fs::path& folder : {target, partial(target)}) {
    if (!fs::exists(folder, ignored)) continue;
    const bool usable = fs::is_directory(folder, ignored) && (fs::is_empty(folder, ignored) || is_run_folder(folder));
    if (!usable)
      throw InvalidArgument({"--out " + target.string(), "", "must not exist yet or be an earlier run folder",
                             "something else under '" + folder.string() + "'", "choose another --out"});
  }
  for (fs::path parent = fs::absolute(target).parent_path(); !parent.empty(); parent = parent.parent_path()) {
    if (fs::is_directory(parent, ignored)) break;
    if (fs::exists(parent, ignored))
      throw InvalidArgument({"--out " + target.string(), "", "must lie in a folder",
                             "the file '" + parent.string() + "'", "choose another --out"});
    if (parent == parent.parent_path()) break;
  }
}

RunFolder::RunFolder(fs::path target) : target_(std::move(target)) {
  while (!target_.has_filename() && target_.has_parent_path())
    target_ = target_.parent_path();  // "runs/a/" is "runs/a"
  fs::remove_all(partial(target_));
  fs::create_directories(partial(target_));
}

void RunFolder::write_text(const std::string& name, const std::string& text) const {
  std::ofstream out(file(name), std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(fmt::format("cannot write {}: is the disk full?", file(name).string()));
}

void RunFolder::write_experiment(const Tree& filled, const Provenance& provenance) const {
  Tree document = filled;
  std::erase_if(document.entries, [](const Tree& entry) { return entry.key == "provenance"; });
  Tree origin = make_map();
  put(origin, "program", make_text(fmt::format("pithball {}", version)));
  put(origin, "command", make_scalar(provenance.command));
  put(origin, "experiment", make_text(provenance.experiment));
  Tree overrides;
  overrides.kind = Tree::Kind::List;
  for (const std::string& text : provenance.overrides) overrides.entries.push_back(make_text(text));
  put(origin, "overrides", std::move(overrides));
  put(origin, "threads", make_scalar(std::to_string(provenance.threads)));
  if (!provenance.linear_solver.empty()) put(origin, "linear_solver", make_scalar(provenance.linear_solver));
  put(document, "provenance", std::move(origin));
  write_text("run.yaml", first_line + to_yaml(document));
}

void RunFolder::finish() {
  const fs::path old(target_.string() + ".old");
  fs::remove_all(old);
  if (fs::exists(target_)) fs::rename(target_, old);
  fs::rename(partial(target_), target_);
  fs::remove_all(old);
}

}  // namespace pithball::experiments
