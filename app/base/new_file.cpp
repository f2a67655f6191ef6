#include "app/base/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "sim/core/error.hpp"

namespace pithball::app {

namespace fs = std::filesystem;

namespace {

/// A new file with a unique name, in the folder of the file that it will replace; removed if the replacement does not
/// take place.
class Draft {
 public:
  explicit Draft(const fs::path& target)
      : name_(
            (target.parent_path() / fmt::format(".{}.XXXXXX", target.filename().string().substr(0, longest))).string()),
        file_(mkstemp(name_.data())) {
    if (file_ < 0)
      throw InvalidArgument({target.string(), "", "must be a name that can be written", std::strerror(errno),
                             "check that its folder exists and may be written to"});
    constexpr fs::perms usual = fs::perms(0666);
    fchmod(file_, static_cast<mode_t>(permissions_of_new(usual)));  // only the owner can read files made by mkstemp
  }
  ~Draft() {
    if (file_ >= 0) close(file_);
    if (!name_.empty()) unlink(name_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  bool write(const std::string& content) {
    for (std::size_t done = 0; done < content.size();) {
      const ssize_t now = ::write(file_, content.data() + done, content.size() - done);
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0) return false;
      done += now;
    }
    const bool on_disk = fsync(file_) == 0;
    const int closed = close(file_);
    file_ = -1;
    return on_disk && closed == 0;
  }
  bool take_name(const fs::path& target) {
    if (rename(name_.c_str(), target.c_str()) != 0) return false;
    name_.clear();
    return true;
  }

 private:
  static constexpr std::size_t longest = 200;  // bytes of the target's name, so that the whole stays below 255
  std::string name_;
  int file_;
};

}  // namespace

void require_new_file(const std::string& name, const std::string& remedy) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(name, ignored)))
    throw InvalidArgument({name, "", "must not exist yet", "an existing file", remedy});
  if (!fs::is_directory(fs::absolute(name).parent_path(), ignored))
    throw InvalidArgument({name, "", "must be a name that can be written", "", "check that its folder exists"});
}

void require_other_file(const std::string& name, const std::string& input) {
  std::error_code ignored;
  if (fs::equivalent(name, input, ignored))
    throw InvalidArgument(
        {name, "", "must be another file than the one that is read", "the same", "choose another name"});
}

void replace_file(const std::string& name, const std::string& content) {
  const fs::path target = fs::absolute(name);
  Draft draft(target);
  if (!draft.write(content) || !draft.take_name(target))
    throw std::runtime_error(fmt::format("cannot write {}: {}", name, std::strerror(errno)));
  flush_to_disk(target.parent_path());
}

void write_new_file(const std::string& name, const std::string& content) {
  require_new_file(name);
  replace_file(name, content);
}

fs::perms permissions_of_new(fs::perms wanted) {
  const mode_t mask = umask(0);  // umask can only be read by setting it
  umask(mask);
  return wanted & ~fs::perms(mask);
}

void flush_to_disk(const fs::path& file_or_folder) {
  const int opened = open(file_or_folder.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = opened >= 0 && fsync(opened) == 0;
  const int reason = errno;
  if (opened >= 0) close(opened);
  if (!done && reason != EINVAL)  // not every file system can flush folders
    throw std::runtime_error(fmt::format("cannot write {}: {}", file_or_folder.string(), std::strerror(reason)));
}

namespace {

constexpr std::size_t longest_name = 200;  // the whole name stays below the limit of 255 bytes
constexpr const char* varying = "XXXXXX";  // end of the template for mkdtemp

InvalidArgument cannot_create(const fs::path& target, const std::string& reason) {
  return InvalidArgument({target.string(), "", "must be a folder that can be created", reason, "choose another --out"});
}

int open_folder(const fs::path& folder) {
  return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// Removes temporary folders left by killed programs.
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
  fs::permissions(partial_, permissions_of_new(fs::perms::all));  // mkdtemp grants no access to others
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!partial_.empty()) fs::remove_all(partial_, ignored);
  if (lock_ >= 0) close(lock_);
}

void NewFolder::make_partial(const std::string& beginning) {
  do {  // repeats if another program removed the folder as a leftover before it was locked
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

TemporaryFolder::TemporaryFolder(const std::string& purpose) {
  std::string pattern = (fs::temp_directory_path() / ("pithball-" + purpose + "-XXXXXX")).string();
  if (!mkdtemp(pattern.data()))
    throw std::runtime_error("cannot create a folder in " + fs::temp_directory_path().string());
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string file_stem(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '_';
  return name;
}

}  // namespace pithball::app
