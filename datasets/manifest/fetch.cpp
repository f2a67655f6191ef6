#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "datasets/manifest/manifest.hpp"
#include "datasets/manifest/sha256.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

extern char** environ;

namespace pithball::datasets {

namespace {

namespace fs = std::filesystem;

/// A temporary folder for a download, beside its destination. The destructor removes it, and with it the parent folders
/// that were made for it and are otherwise empty.
class PartialFolder {
 public:
  explicit PartialFolder(const fs::path& beside) {
    for (fs::path above = beside.parent_path(); !fs::exists(above); above = above.parent_path()) made_.push_back(above);
    std::string pattern = beside.string() + ".partial-XXXXXX";
    std::error_code rejected;
    fs::create_directories(beside.parent_path(), rejected);
    if (rejected || !mkdtemp(pattern.data())) {
      remove_made();
      throw std::runtime_error(pattern + ": cannot create a temporary folder; check permissions and free disk space");
    }
    path_ = pattern;
  }
  ~PartialFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    remove_made();
  }
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  void remove_made() const {
    std::error_code not_empty;
    for (const fs::path& above : made_) fs::remove(above, not_empty);
  }

  fs::path path_;
  std::vector<fs::path> made_;  // innermost first
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

/// The input of one call of curl, and its outcome.
struct Download {
  std::string url, target;
  std::string log;           ///< a file for the output of curl
  int status = 0;            ///< its exit status, 128 for a signal
  std::string message = {};  ///< first line of its output
};

/// Returns curl's options for a download: one protocol, also after redirections, and a time limit. A download slower
/// than 1 kB/s for a minute is aborted.
std::vector<std::string> curl_words(const FetchOptions& options, const Download& wanted) {
  const std::string protocol = options.base_url.substr(0, options.base_url.find(':'));
  std::vector<std::string> words{options.program, "--fail", "--silent", "--show-error", "--location"};
  const std::pair<const char*, std::string> settings[] = {{"--proto", "=" + protocol},
                                                          {"--connect-timeout", "20"},
                                                          {"--speed-limit", "1000"},
                                                          {"--speed-time", "60"},
                                                          {"--max-time", std::to_string(options.most_seconds)},
                                                          {"--max-filesize", std::to_string(options.most_bytes)},
                                                          {"--output", wanted.target}};
  for (const auto& [name, value] : settings) words.insert(words.end(), {name, value});
  words.push_back(wanted.url);
  return words;
}

pid_t start(const FetchOptions& options, const Download& wanted) {
  std::vector<std::string> words = curl_words(options, wanted);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, wanted.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, options.program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0)
    throw std::runtime_error("cannot run " + options.program +
                             " to download data; install it (Debian: apt install curl)");
  return child;
}

/// Returns the reason to abort a download now; empty if it may continue. curl itself enforces a size limit only if the
/// server announces the size.
std::string reason_to_end(const FetchOptions& options, const Download& wanted) {
  if (options.stop && *options.stop) return "interrupted";
  std::error_code not_there;
  const std::uintmax_t bytes = fs::file_size(wanted.target, not_there);
  if (not_there || bytes <= options.most_bytes) return "";
  return wanted.url + ": the file has more than " + std::to_string(options.most_bytes) + " bytes";
}

/// Waits for the child and returns its wait status. If there is a reason to abort the download, kills the child and
/// throws std::runtime_error with that reason.
int wait_for(pid_t child, const FetchOptions& options, const Download& wanted) {
  int status = 0;
  for (pid_t ended = 0; ended != child;) {
    if (!reason_to_end(options, wanted).empty()) kill(child, SIGKILL);
    poll(nullptr, 0, 20);
    ended = waitpid(child, &status, WNOHANG);
    if (ended < 0 && errno != EINTR) throw std::runtime_error("lost the download process");
  }
  if (const std::string reason = reason_to_end(options, wanted); !reason.empty()) throw std::runtime_error(reason);
  return status;
}

/// Runs curl without a shell; throws std::runtime_error if it had to be killed.
void download(const FetchOptions& options, Download& wanted) {
  const int status = wait_for(start(options, wanted), options, wanted);
  std::ifstream in(wanted.log);
  const std::string said(std::istreambuf_iterator<char>(in), {});
  wanted.message = trim(said.substr(0, said.find('\n')));
  wanted.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/// Returns the folder of an installed set; empty if there is none.
fs::path folder_if_found(const Manifest& manifest, const std::string& name) {
  try {
    return find_dataset(manifest, name);
  } catch (const InvalidArgument&) {
    return {};
  }
}

/// Whether a folder has all downloadable files of a set, with the right checksums.
bool is_whole(const DataSet& set, const fs::path& folder) {
  const auto found = verify(set, folder.string());
  return std::all_of(found.begin(), found.end(), [](const FileReport& f) {
    return f.status == FileStatus::Ok || (f.status == FileStatus::Missing && !f.remedy.empty());
  });
}

/// Moves a set with verified checksums to its destination: as a whole or, if the folder already exists, file by file,
/// so that other files in it stay.
void put_in_place(const DataSet& set, const fs::path& fetched, const fs::path& folder) {
  if (!fs::exists(folder)) {
    fs::permissions(fetched,
                    fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec,
                    fs::perm_options::add);
    fs::rename(fetched, folder);
    return;
  }
  for (const DataFile& file : set.files) {
    if (!file.derived.empty()) continue;
    fs::create_directories((folder / file.name).parent_path());
    fs::rename(fetched / file.name, folder / file.name);
  }
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
  if (!found.empty() && found != folder)  // `found` would still take precedence
    throw InvalidArgument({found.string(), "data set", "must have the checksums of " + manifest.file,
                           "missing or changed files",
                           "run 'pithball data verify " + name + "', and repair or remove the folder"});
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
      Download wanted{url, target.string(), log};
      download(options, wanted);
      if (wanted.status != 0) {
        complaint = url + ": " + (wanted.message.empty() ? "download failed" : wanted.message) +
                    "; check the network, or set PITHBALL_DATA to a folder that holds " + name;
      } else if (sha256_of_file(target.string()) != file.sha256) {
        complaint = url +
                    ": the content differs from the manifest's SHA-256; the file changed upstream or the download was "
                    "incomplete; try again";
      } else {
        complaint.clear();
        break;
      }
    }
    if (!complaint.empty()) throw std::runtime_error(complaint);
  }
  fs::remove(log);
  put_in_place(set, partial.path(), folder);
  return report;
}

}  // namespace pithball::datasets
