#include "app/base/new_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "app/base/new_file.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

namespace fs = std::filesystem;

namespace {
constexpr std::size_t longest_name = 200;  // with the rest it stays below the 255 letters that systems allow
}

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
  std::string name = (above / fmt::format(".{}.XXXXXX", target_.filename().string().substr(0, longest_name))).string();
  if (rejected || !mkdtemp(name.data()))
    throw InvalidArgument({target_.string(), "", "must be a folder that can be created",
                           rejected ? rejected.message() : std::strerror(errno), "choose another --out"});
  partial_ = name;
  fs::permissions(partial_, permissions_of_new(fs::perms::all));  // mkdtemp keeps all others out
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!partial_.empty()) fs::remove_all(partial_, ignored);
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
