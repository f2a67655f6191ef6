#include "app/run_folder/folder_record.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <ranges>
#include <set>
#include <utility>
#include <vector>

#include "app/base/json_text.hpp"
#include "app/base/new_file.hpp"
#include "app/base/version.hpp"
#include "app/result/json_fields.hpp"
#include "app/run_folder/run_folder.hpp"
#include "datasets/manifest/sha256.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

namespace fs = std::filesystem;

namespace {

/// Returns the files of an input, which may be a folder of frames.
std::vector<fs::path> files_of(const fs::path& input) {
  if (!fs::is_directory(input)) return {input};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(input))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// Returns the experiment without its provenance, as text.
std::string experiment_text(Tree document) {
  std::erase_if(document.entries, [](const Tree& entry) { return entry.key == "provenance"; });
  return to_yaml(document);
}

}  // namespace

InputRecord make_input_record(const Tree& filled, const Provenance& provenance) {
  InputRecord record{program_build(), provenance.command, experiment_text(filled), {}};
  for (const fs::path& input : provenance.inputs)
    for (const fs::path& file : files_of(input)) record.files[file.string()] = datasets::sha256_of_file(file.string());
  return record;
}

std::string difference(const InputRecord& earlier, const InputRecord& now) {
  if (earlier.command != now.command)
    return fmt::format("it was made by the command '{}', not by '{}'", earlier.command, now.command);
  if (earlier.experiment != now.experiment) return "the experiment has changed (see its run.yaml)";
  for (const auto& [file, sum] : now.files) {
    const auto before = earlier.files.find(file);
    if (before == earlier.files.end()) return fmt::format("it was made without the file '{}'", file);
    if (before->second != sum) return fmt::format("the file '{}' has changed", file);
  }
  for (const auto& [file, sum] : earlier.files)
    if (!now.files.contains(file)) return fmt::format("it was made from the file '{}', too", file);
  if (earlier.program != now.program)
    return fmt::format("it was made by another program version: {}, and this is {}", earlier.program, now.program);
  return "";
}

using nlohmann::ordered_json;

namespace {

/// Whether a name in a record stays inside the folder: run folders and their records may come from other people.
bool stays_inside(const fs::path& folder, const fs::path& name) {
  if (name.empty() || name.is_absolute()) return false;
  fs::path place = folder;
  for (const fs::path& part : name.parent_path()) {
    place /= part;
    std::error_code ignored;
    if (part == ".." || !fs::is_directory(fs::symlink_status(place, ignored))) return false;
  }
  return name.filename() != ".." && name.filename() != ".";
}

}  // namespace

FolderRecord begin_record(const InputRecord& inputs) {
  std::random_device random;
  return {fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random()), "", false, {}, inputs};
}

std::optional<FolderRecord> read_record(const fs::path& folder) {
  std::error_code ignored;
  const fs::path file = folder / FolderRecord::name;
  if (!fs::is_regular_file(fs::symlink_status(file, ignored))) return {};
  try {
    return read_result<FolderRecord>(ordered_json::parse(datasets::read_text_file(file.string(), "record")));
  } catch (const ordered_json::exception&) {
    return {};
  }
}

void write_record(const FolderRecord& record, const fs::path& folder) {
  replace_file((folder / FolderRecord::name).string(), json_text(to_json(record)) + "\n");
}

void add_to_record(const fs::path& folder, const std::vector<fs::path>& files) {
  std::optional<FolderRecord> record = read_record(folder);
  if (!record) return;
  const fs::path base = fs::absolute(folder).lexically_normal();
  std::set<std::string> known(record->own.begin(), record->own.end());
  const std::size_t before = known.size();
  for (const fs::path& file : files) {
    const fs::path name = fs::absolute(file).lexically_normal().lexically_relative(base);
    if (name.empty() || *name.begin() == "..") continue;
    fs::path entry;
    for (const fs::path& part : name) {
      entry /= part;
      if (known.insert(entry.string()).second) record->own.push_back(entry.string());
    }
  }
  if (known.size() > before) write_record(*record, folder);
}

void remove_entries(const fs::path& folder, const std::vector<std::string>& entries,
                    const std::function<bool(const std::string& entry)>& is_wanted) {
  for (const std::string& name : entries | std::views::reverse) {
    if (!is_wanted(name) || !stays_inside(folder, name)) continue;
    std::error_code ignored;
    const fs::path entry = folder / name;
    const bool is_folder = fs::is_directory(fs::symlink_status(entry, ignored));
    const std::optional<FolderRecord> run = is_folder ? read_record(entry) : std::nullopt;
    if (run)
      remove_own(entry, *run);
    else
      fs::remove(entry, ignored);
  }
}

void remove_drafts(const fs::path& folder, const FolderRecord& record) {
  std::map<fs::path, std::vector<std::string>> beginnings;  // prefixes of draft names, by folder
  beginnings[folder].push_back(fmt::format(".{}.", FolderRecord::name));
  for (const std::string& own : record.own)
    if (stays_inside(folder, own) && fs::path(own).has_filename())
      beginnings[(folder / own).parent_path()].push_back("." + fs::path(own).filename().string() + ".");
  std::vector<fs::path> drafts;
  for (const auto& [place, of_drafts] : beginnings) {
    if (!fs::is_directory(fs::symlink_status(place))) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(place)) {
      const std::string name = entry.path().filename().string();
      const auto is_draft = [&](const std::string& start) {
        constexpr std::size_t unique = 6;  // random letters and digits at the end
        return name.size() == start.size() + unique && name.starts_with(start) &&
               std::ranges::all_of(name.substr(start.size()), [](unsigned char c) { return std::isalnum(c) != 0; });
      };
      if (entry.is_regular_file() && !entry.is_symlink() && std::ranges::any_of(of_drafts, is_draft))
        drafts.push_back(entry.path());
    }
  }
  std::error_code ignored;
  for (const fs::path& draft : drafts) fs::remove(draft, ignored);
}

void remove_own(const fs::path& folder, const FolderRecord& record) {
  remove_entries(folder, record.own, [](const std::string&) { return true; });
  std::error_code ignored;
  fs::remove(folder / FolderRecord::name, ignored);
  fs::remove(folder, ignored);
}

FolderLock::FolderLock(const fs::path& folder) : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_ >= 0 && try_to_lock(folder_) == Locked::ByOther) {
    close(std::exchange(folder_, -1));
    throw InvalidArgument({folder.string(), "", "must not be in use by another process", "a run in progress",
                           "wait for it to end, or choose another --out"});
  }
}

FolderLock::~FolderLock() {
  if (folder_ >= 0) close(folder_);
}

FolderLock::FolderLock(FolderLock&& other) noexcept : folder_(std::exchange(other.folder_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(folder_, other.folder_);
  return *this;
}

}  // namespace pithball::app
