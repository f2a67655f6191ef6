#include "app/run_folder/run_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "app/base/interruption.hpp"
#include "app/base/json_text.hpp"
#include "app/base/new_file.hpp"
#include "app/base/version.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* first_line = "# Written by pithball: the experiment of this run with all defaults.\n";

/// Returns `target` without a trailing slash and with links resolved: a run is stored on the disk of the link's target.
fs::path resolved(fs::path target) {
  while (!target.has_filename() && target.has_parent_path()) target = target.parent_path();  // "runs/a/" is "runs/a"
  std::error_code ignored;
  return fs::is_symlink(fs::symlink_status(target, ignored)) && fs::exists(target, ignored) ? fs::canonical(target)
                                                                                            : target;
}

[[noreturn]] void reject(const fs::path& target, const std::string& required, const std::string& got,
                         const std::string& remedy) {
  throw InvalidArgument({"--out " + target.string(), "", required, got, remedy});
}

/// The content of a folder that may exist already.
struct Found {
  bool there = false;  // exists and is not empty
  std::optional<FolderRecord> record;
};

/// Rejects a folder unless it is absent, empty, or that of a run. Drafts of killed programs are ignored.
Found look_at(const fs::path& target, const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(folder, ignored))) return {};
  const auto reject_other = [&](const std::string& what) {
    reject(target, "must not exist yet or be an earlier run folder", what + " '" + folder.string() + "'",
           "choose another --out");
  };
  if (!fs::is_directory(fs::symlink_status(folder, ignored))) reject_other("a file,");
  Found found;
  found.record = read_record(folder);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    found.there = found.there || entry.path().filename().string().rfind(".record.json.", 0) != 0;
  if (found.there && !found.record)
    reject_other(RunFolder::is_run_folder(folder) ? "a run without record.json in" : "a folder of something else,");
  return found;
}

/// Rejects a target that cannot be created, and names the nearest existing folder above it.
void require_parent(const fs::path& target) {
  std::error_code ignored;
  for (fs::path parent = fs::absolute(target).parent_path(); !parent.empty(); parent = parent.parent_path()) {
    if (fs::is_directory(parent, ignored)) {
      if (access(parent.c_str(), W_OK | X_OK) != 0)
        reject(target, "must be in a writable folder", "'" + parent.string() + "'",
               "choose another --out, or change its permissions");
      return;
    }
    if (fs::exists(parent, ignored))
      reject(target, "must be in a folder", "the file '" + parent.string() + "'", "choose another --out");
    if (parent == parent.parent_path()) return;
  }
}

/// Earlier runs: one with the target's name, and an unfinished one.
struct Earlier {
  Found named, partial;

  explicit Earlier(const fs::path& target)
      : named(look_at(target, target)), partial(look_at(target, RunFolder::partial(target))) {}

  /// Whether `partial` is a replaced run whose removal was interrupted when the program was killed.
  bool is_replaced_rest() const {
    return partial.record && named.record && named.record->replaces == partial.record->id;
  }
  /// Returns the run that `--resume` continues; null if there is none.
  const FolderRecord* begun() const {
    if (partial.there && !is_replaced_rest()) return &*partial.record;
    return named.there && !named.record->complete ? &*named.record : nullptr;
  }

  void require_permission(const fs::path& target, EarlierRun wanted) const {
    if (wanted.overwrite) return;
    const FolderRecord* const begun_run = begun();
    if (begun_run && !wanted.resume)
      reject(target, "must be free", "an incomplete run", "give --resume to complete it, or --overwrite to restart");
    if (!named.there || !named.record->complete) return;
    if (begun_run && begun_run->replaces == named.record->id) return;  // it was begun with --overwrite
    if (wanted.resume)
      reject(target, "must contain an incomplete run", "a complete one", "give --overwrite to repeat it");
    reject(target, "must be free", "a finished run",
           "give --overwrite to replace it (files that you added are kept), or choose another --out");
  }
};

/// Creates a folder and its parents; returns the uppermost new one, or an empty path.
fs::path make_folder(const fs::path& target, const fs::path& folder) {
  fs::path made;
  for (fs::path above = fs::absolute(folder); !fs::exists(above); above = above.parent_path()) made = above;
  std::error_code rejected;
  fs::create_directories(folder, rejected);
  if (rejected) reject(target, "must be a folder that can be created", rejected.message(), "choose another --out");
  return made;
}

/// Moves the user's files from a run folder to the new run; returns false if a name is already taken there.
bool move_entries_of_user(const fs::path& from, const FolderRecord& record, const fs::path& to) {
  bool all = true;
  remove_drafts(from, record);  // remains of a program that was killed after it had renamed the run
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const fs::path name = entry.path().filename();
    if (record.owns(name.string())) continue;
    all = renameat2(AT_FDCWD, entry.path().c_str(), AT_FDCWD, (to / name).c_str(), RENAME_NOREPLACE) == 0 && all;
  }
  return all;
}

/// Returns an unused name beside the folder.
fs::path free_name(const fs::path& folder) {
  for (int k = 1;; ++k) {
    const fs::path name = folder.string() + fmt::format(".replaced-{}", k);
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(name, ignored))) return name;
  }
}

}  // namespace

fs::path RunFolder::partial(const fs::path& target) { return fs::path(resolved(target).string() + ".partial"); }

bool RunFolder::is_run_folder(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_regular_file(folder / "run.yaml", ignored)) return false;
  std::ifstream file(folder / "run.yaml");
  std::string line;
  return std::getline(file, line) && line + "\n" == first_line;
}

void RunFolder::check(const fs::path& target, EarlierRun wanted) {
  const fs::path folder = resolved(target);
  require_parent(folder);
  Earlier(folder).require_permission(folder, wanted);
}

RunFolder::RunFolder(const fs::path& target, const InputRecord& inputs, EarlierRun wanted)
    : target_(resolved(target)), place_(partial(target)), record_(begin_record(inputs)) {
  check(target_, wanted);
  made_ = make_folder(target_, place_);
  lock_ = FolderLock(place_);
  const Earlier earlier(target_);  // from here on, no other program changes the target
  earlier.require_permission(target_, wanted);
  if (const FolderRecord* const begun = wanted.resume ? earlier.begun() : nullptr) {
    const std::string other = difference(begun->inputs, inputs);
    if (!other.empty() && !wanted.overwrite)
      throw InvalidArgument({"--resume " + target_.string(), "",
                             "must contain the first part of the same run, but " + other, "",
                             "give --overwrite to restart, or choose another --out"});
    if (other.empty()) {
      go_on(*begun, earlier.partial.there ? place_ : target_);
      return;
    }
  }
  if (earlier.partial.record) record_.own = earlier.partial.record->own;
  begin_again();
  if (earlier.named.there) record_.replaces = earlier.named.record->id;
  write_record(record_, place_);
}

/// Resumes the run in `place`.
void RunFolder::go_on(const FolderRecord& begun, const fs::path& place) {
  record_ = begun;
  record_.complete = false;
  resumed_ = true;
  remove_drafts(place_, record_);
  if (place == place_) return;
  fs::rename(place, place_);  // replaces the empty folder
  lock_ = FolderLock(place_);
}

RunFolder::~RunFolder() = default;

void RunFolder::begin_again() {
  remove_drafts(place_, record_);
  remove_entries(place_, record_.own, [](const std::string&) { return true; });
  record_.own.clear();
  resumed_ = false;
}

fs::path RunFolder::file(const std::string& name) {
  if (!record_.owns(name)) {
    record_.own.push_back(name);
    write_record(record_, place_);  // before the file itself, so that the record lists every file of a killed run
  }
  return place_ / name;
}

void RunFolder::write_text(const std::string& name, const std::string& text) {
  replace_file(file(name).string(), text);
}

void RunFolder::remove(const std::string& name) {
  const auto is_part = [&](const std::string& own) { return own == name || own.rfind(name + "/", 0) == 0; };
  remove_entries(place_, record_.own, is_part);
  std::erase_if(record_.own, is_part);
  write_record(record_, place_);
}

void RunFolder::write_experiment(const Tree& filled, const Provenance& provenance) {
  Tree document = filled;
  std::erase_if(document.entries, [](const Tree& entry) { return entry.key == "provenance"; });
  Tree origin = empty_tree(Tree::Kind::Map);
  put(origin, "program", quoted_scalar(fmt::format("pithball {}", version)));
  put(origin, "command", make_scalar(provenance.command));
  put(origin, "experiment", quoted_scalar(provenance.experiment));
  Tree overrides = empty_tree(Tree::Kind::List);
  for (const std::string& text : provenance.overrides) overrides.entries.push_back(quoted_scalar(text));
  put(origin, "overrides", std::move(overrides));
  put(origin, "threads", make_scalar(std::to_string(provenance.threads)));
  if (!provenance.linear_solver.empty()) put(origin, "linear_solver", make_scalar(provenance.linear_solver));
  put(document, "provenance", std::move(origin));
  write_text("run.yaml", first_line + to_yaml(document));
}

void RunFolder::finish() {
  record_.complete = true;
  write_record(record_, place_);
  for (const std::string& name : record_.own)
    if (fs::exists(fs::symlink_status(place_ / name))) flush_to_disk(place_ / name);  // some work leaves no file
  flush_to_disk(place_);
  give_name();
}

void RunFolder::leave_incomplete() {
  write_record(record_, place_);
  if (renameat2(AT_FDCWD, place_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) == 0) place_ = target_;
}

void RunFolder::abandon() {
  remove_own(place_, record_);
  if (made_.empty()) return;
  std::error_code kept;  // folders that are not empty remain
  for (fs::path folder = fs::absolute(place_); !kept && folder != made_.parent_path(); folder = folder.parent_path())
    if (fs::exists(folder)) fs::remove(folder, kept);
}

/// Gives the run its final name in one atomic step, even if an earlier run has this name.
void RunFolder::give_name() {
  const fs::path made = std::exchange(place_, target_);
  std::error_code ignored;
  if (fs::is_directory(target_, ignored) && fs::is_empty(target_, ignored)) fs::remove(target_, ignored);
  if (renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) == 0) {
    flush_to_disk(fs::absolute(target_).parent_path());
    return;
  }
  const std::optional<FolderRecord> replaced = read_record(target_);
  if (!replaced || replaced->id != record_.replaces) {
    place_ = made;
    throw std::runtime_error(fmt::format("cannot give the run the name '{}', which is now in use; it is stored in '{}'",
                                         target_.string(), made.string()));
  }
  const bool all_moved = move_entries_of_user(target_, *replaced, made);
  if (renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0)
    throw std::runtime_error(
        fmt::format("cannot give the run the name '{}': {}", target_.string(), std::strerror(errno)));
  flush_to_disk(fs::absolute(target_).parent_path());
  remove_own(made, *replaced);  // user files that could not be moved stay there
  if (!all_moved) fs::rename(made, free_name(target_));
}

namespace {

constexpr const char* ledger_name = "ledger.bin";

}  // namespace

KeptWork::KeptWork(const RunOrder& order, const Tree& filled)
    : folder_(order.target, make_input_record(filled, order.provenance), order.earlier) {
  folder_.write_experiment(filled, order.provenance);
}

void KeptWork::make(const std::function<void(optim::Ledger& ledger)>& work) {
  try {
    optim::Ledger ledger(folder_.file(ledger_name).string(), "");
    if (!end_unless_interrupted([&] { work(ledger); })) require_no_interruption();
  } catch (const InvalidArgument&) {
    if (!folder_.resumed()) folder_.abandon();
    throw;
  }
}

void KeptWork::finish(const std::vector<std::pair<std::string, nlohmann::ordered_json>>& results) {
  for (const auto& [name, json] : results) folder_.write_text(name, json_text(json) + "\n");
  folder_.finish();
  folder_.remove(ledger_name);  // last: until the work has its name, a killed program resumes from the ledger
}

}  // namespace pithball::app
