#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "datasets/manifest.hpp"
#include "datasets/sha256.hpp"
#include "datasets/text_scan.hpp"
#include "sim/core/error.hpp"

extern char** environ;

namespace pithball::datasets {

namespace {

namespace fs = std::filesystem;

/// Removes the folder that a failed download leaves.
class PartialFolder {
 public:
  explicit PartialFolder(const fs::path& beside) {
    fs::create_directories(beside.parent_path());
    std::string pattern = beside.string() + ".partial-XXXXXX";
    if (!mkdtemp(pattern.data()))
      throw std::runtime_error(pattern + ": cannot make a temporary folder; check permissions and the disk");
    path_ = pattern;
  }
  ~PartialFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string url_encoded(const std::string& path) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string url;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || std::string_view("-._~/").find(c) != std::string_view::npos) {
      url += c;
    } else {
      url += '%';
      url += digits[byte >> 4];
      url += digits[byte & 15];
    }
  }
  return url;
}

/// Runs curl without a shell. Returns its exit status; `message` receives what it says.
int download(const FetchOptions& options, const std::string& url, const std::string& target, const std::string& log,
             std::string& message) {
  std::vector<std::string> words{options.program,     "--fail", "--silent", "--show-error", "--location",
                                 "--connect-timeout", "20",     "--output", target,         url};
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, options.program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0)
    throw std::runtime_error("cannot run " + options.program +
                             " to download data; install it (Debian: apt install curl)");
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw std::runtime_error("lost the download process");
  std::ifstream in(log);
  message.assign(std::istreambuf_iterator<char>(in), {});
  message = trim(message.substr(0, message.find('\n')));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/// The folder where a set is found; empty if nowhere.
fs::path folder_if_found(const Manifest& manifest, const std::string& name) {
  try {
    return find_dataset(manifest, name);
  } catch (const InvalidArgument&) {
    return {};
  }
}

/// Whether all that can be downloaded of a set is in a folder as it should be.
bool is_whole(const DataSet& set, const fs::path& folder) {
  const auto found = verify(set, folder.string());
  return std::all_of(found.begin(), found.end(), [](const FileReport& f) {
    return f.status == FileStatus::Ok || (f.status == FileStatus::Missing && !f.remedy.empty());
  });
}

}  // namespace

FetchReport fetch(const Manifest& manifest, const std::string& name, const FetchOptions& options) {
  const DataSet& set = manifest.at(name);
  const fs::path found = folder_if_found(manifest, name);
  FetchReport report{found.string(), !found.empty() && is_whole(set, found), {}};
  for (const DataFile& file : set.files)
    if (!file.derived.empty() && !(report.already_there && fs::exists(found / file.name)))
      report.not_fetched.push_back({file.name, FileStatus::Missing, file.derived});
  if (report.already_there) return report;
  const fs::path folder = fs::path(user_data_folder()) / name;
  report.folder = folder.string();
  if (!found.empty() && found != folder)  // it would still be found first
    throw InvalidArgument({found.string(), "data set", "must have the sums of " + manifest.file,
                           "missing or changed files",
                           "run 'pithball data verify " + name + "', and mend or remove the folder"});
  const bool has_upstream_data = std::any_of(set.files.begin(), set.files.end(), [](const DataFile& f) {
    return f.derived.empty() && !fs::path(f.name).filename().string().starts_with("LICENSE");
  });
  if (!has_upstream_data)
    throw InvalidArgument({name, "data set", "cannot be downloaded: its data are derived",
                           report.not_fetched.front().remedy,
                           "make the file from there, or set PITHBALL_DATA to a folder that holds " + name});

  const PartialFolder partial(folder);
  const std::string log = (partial.path() / ".curl").string();
  for (const DataFile& file : set.files) {
    if (!file.derived.empty()) continue;
    const fs::path target = partial.path() / file.name;
    fs::create_directories(target.parent_path());
    std::string complaint;
    for (const std::string& path : file.paths) {
      const std::string url = options.base_url + "/" + url_encoded(file.repository + "/" + file.commit + "/" + path);
      std::string message;
      if (download(options, url, target.string(), log, message) != 0) {
        complaint = url + ": " + (message.empty() ? "download failed" : message) +
                    "; check the network, or set PITHBALL_DATA to a folder that holds " + name;
      } else if (sha256_of_file(target.string()) != file.sha256) {
        complaint =
            url +
            ": the content differs from the manifest's SHA-256; the file changed upstream or was cut off, try again";
      } else {
        complaint.clear();
        break;
      }
    }
    if (!complaint.empty()) throw std::runtime_error(complaint);
  }
  fs::remove(log);
  // Derived files that someone put there by hand are kept.
  for (const FileReport& file : report.not_fetched)
    if (fs::exists(folder / file.name)) {
      fs::create_directories((partial.path() / file.name).parent_path());
      fs::copy_file(folder / file.name, partial.path() / file.name);
    }
  fs::permissions(partial.path(),
                  fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec,
                  fs::perm_options::add);
  fs::remove_all(folder);
  fs::rename(partial.path(), folder);
  return report;
}

}  // namespace pithball::datasets
