#include "experiments/run/new_folder.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>
#include <system_error>

#include "sim/core/error.hpp"

namespace pithball::experiments {

namespace fs = std::filesystem;

void NewFolder::check(const fs::path& target) {
  std::error_code ignored;
  if (fs::exists(target, ignored))
    throw InvalidArgument(
        {target.string(), "", "must not exist yet", "an existing one", "remove it or choose another --out"});
  for (fs::path parent = fs::absolute(target).parent_path(); !fs::is_directory(parent, ignored);
       parent = parent.parent_path())
    if (fs::exists(parent, ignored) || parent == parent.parent_path())
      throw InvalidArgument(
          {target.string(), "", "must lie in a folder", "the file '" + parent.string() + "'", "choose another --out"});
}

NewFolder::NewFolder(const fs::path& target) : target_(target) {
  while (!target_.has_filename() && target_.has_parent_path()) target_ = target_.parent_path();  // "a/b/" is "a/b"
  check(target_);
  partial_ = target_.string() + ".export-partial";  // "<target>.partial" may be a run that waits for --resume
  fs::remove_all(partial_);
  std::error_code refused;
  fs::create_directories(partial_, refused);
  if (refused)
    throw InvalidArgument(
        {target_.string(), "", "must be a folder that can be made", refused.message(), "choose another --out"});
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
  fs::rename(partial_, target_);
  partial_.clear();
}

}  // namespace pithball::experiments
