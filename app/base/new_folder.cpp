#include "app/base/new_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "app/base/file_lock.hpp"
#include "app/base/new_file.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest_name = 200;  // with the rest it stays below the 255 letters that systems allow
constexpr const char* varying = "XXXXXX";  // the end of a temporary name, as mkdtemp wants it

InvalidArgument cannot_create(const fs::path& target, const std::string& reason) {
  return InvalidArgument({target.string(), "", "must be a folder that can be created", reason, "choose another --out"});
}

int open_folder(const fs::path& folder) {
  return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// Removes the folders of temporary names that programs left when they were killed.
void remove_left(const fs::path& above, const std::string& beginning) {
  std::error_code ignored;
  std::vector<fs::path> left;
  for (const fs::directory_entry& entry : fs::directory_iterator(above, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(beginning) && name.size() == beginning.size() + std::strlen(varying))
      left.push_back(entry.path());
  }
  for (const fs::path& folder : left) {
    const int opened = open_folder(folder);
    if (opened < 0) continue;
    if (try_to_lock(opened) == Locked::Yes) fs::remove_all(folder, ignored);
    close(opened);
  }
}

}  // namespace

void NewFolder::check(const fs::path& target) {
  std::error_code ignored;
  if (fs::exists(target, ignored))
    throw InvalidArgument(
        {target.string(), "", "must not exist yet", "an existing one", "remove it or choose another --out"});
  for (fs::path parent = fs::absolute(target).parent_path(); !fs::is_directory(parent, ignored);
       parent = parent.parent_path())
    if (fs::exists(parent, ignored) || parent == parent.parent_path())
      throw InvalidArgument(
          {target.string(), "", "must be in a folder", "the file '" + parent.string() + "'", "choose another --out"});
}

NewFolder::NewFolder(const fs::path& target) : target_(target) {
  while (!target_.has_filename() && target_.has_parent_path()) target_ = target_.parent_path();  // "a/b/" is "a/b"
  check(target_);
  std::error_code rejected;
  const fs::path above = fs::absolute(target_).parent_path();
  fs::create_directories(above, rejected);
  const std::string beginning = fmt::format(".{}.", target_.filename().string().substr(0, longest_name));
  if (rejected) throw cannot_create(target_, rejected.message());
  remove_left(above, beginning);
  make_partial((above / beginning).string());
  fs::permissions(partial_, permissions_of_new(fs::perms::all));  // mkdtemp keeps all others out
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!partial_.empty()) fs::remove_all(partial_, ignored);
  if (lock_ >= 0) close(lock_);
}

void NewFolder::make_partial(const std::string& beginning) {
  do {  // again where another program took it for one that was left, before it was locked
    std::string name = beginning + varying;
    if (!mkdtemp(name.data())) throw cannot_create(target_, std::strerror(errno));
    if (lock_ >= 0) close(lock_);
    lock_ = open_folder(name);
    partial_ = name;
  } while (lock_ < 0 ? errno == ENOENT : try_to_lock(lock_) == Locked::ByOther);
}

fs::path NewFolder::add(const std::string& name) {
  files_.push_back(name);
  return partial_ / name;
}

void NewFolder::write(const std::string& name, const std::string& content) {
  write(name, [&](std::ostream& out) { out << content; });
}

void NewFolder::write(const std::string& name, const std::function<void(std::ostream&)>& fill) {
  std::ofstream out(add(name), std::ios::binary | std::ios::trunc);
  fill(out);
  out.close();
  if (!out) throw std::runtime_error(fmt::format("cannot write {}: is the disk full?", (partial_ / name).string()));
}

void NewFolder::finish() {
  for (const std::string& file : files_) flush_to_disk(partial_ / file);
  if (renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) != 0)
    throw std::runtime_error(fmt::format("cannot create {}: {}", target_.string(), std::strerror(errno)));
  partial_.clear();
  flush_to_disk(fs::absolute(target_).parent_path());
}

}  // namespace pithball::app
