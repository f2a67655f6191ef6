#include "app/base/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "sim/core/error.hpp"

namespace pithball::app {

namespace fs = std::filesystem;

namespace {

/// A new file of a name that nothing else has, beside the one that it will replace; removed unless it does.
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
    fchmod(file_, static_cast<mode_t>(permissions_of_new(usual)));  // mkstemp makes files that nobody else may read
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
  static constexpr std::size_t longest = 200;  // of a name: with the rest it stays below the 255 that systems allow
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
  const mode_t mask = umask(0);  // it can only be read by setting it
  umask(mask);
  return wanted & ~fs::perms(mask);
}

void flush_to_disk(const fs::path& file_or_folder) {
  const int opened = open(file_or_folder.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = opened >= 0 && fsync(opened) == 0;
  const int reason = errno;
  if (opened >= 0) close(opened);
  if (!done && reason != EINVAL)  // not every file system can do so for folders
    throw std::runtime_error(fmt::format("cannot write {}: {}", file_or_folder.string(), std::strerror(reason)));
}

}  // namespace pithball::app
