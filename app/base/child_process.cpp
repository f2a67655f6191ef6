#include "app/base/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "app/base/interruption.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

/// Waits until the channel is ready for `events`; returns false if the deadline passes first. Throws std::runtime_error
/// soon after an Interruption has caught a signal.
bool wait_for(int channel, short events, Clock::time_point deadline) {
  for (;;) {
    require_no_interruption();
    const std::chrono::duration<double, std::milli> left = deadline - Clock::now();
    if (left.count() <= 0) return false;
    pollfd ready{channel, events, 0};
    if (poll(&ready, 1, static_cast<int>(std::min(left.count(), 100.0)) + 1) > 0) return true;
  }
}

}  // namespace

fs::path find_program(const NeededProgram& needed) {
  const auto is_program = [](const fs::path& file) {
    std::error_code unsearchable;  // a folder on PATH that cannot be searched is skipped
    return fs::is_regular_file(file, unsearchable) && !access(file.c_str(), X_OK);
  };
  const std::string remedy = "install it (Debian: apt install " + needed.package + ")";
  if (const char* named = needed.variable.empty() ? nullptr : std::getenv(needed.variable.c_str())) {
    if (is_program(named)) return named;
    throw InvalidArgument({needed.variable, "", "must name a program that can be run", named,
                           "correct this environment variable or unset it"});
  }
  const char* path = std::getenv("PATH");
  for (const std::string& name : needed.names) {
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
      if (const fs::path file = fs::path(folder) / name; is_program(file)) return file;
  }
  throw InvalidArgument(
      {needed.names.front(), "", "needed for " + needed.purpose, "no program of this name on PATH", remedy});
}

ChildProcess::ChildProcess(std::vector<std::string> command, const std::vector<int>& descriptors, double patience)
    : name_(fs::path(command.front()).filename().string()), log_(std::tmpfile(), &std::fclose), patience_(patience) {
  if (!log_) throw std::runtime_error("cannot create a temporary file for the output of " + name_);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("cannot be joined to this program");
  channel_ = ends[0];
  // Chosen above the child's own descriptors, so that duplicating onto one of these cannot close it.
  const int theirs = fcntl(ends[1], F_DUPFD_CLOEXEC, 16);
  close(ends[1]);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_adddup2(&files, fileno(log_.get()), output);  // first: the log may have any number
  for (const int descriptor : descriptors) posix_spawn_file_actions_adddup2(&files, theirs, descriptor);
  // The child gets a process group of its own, so that its children can be killed with it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  const int failure = posix_spawn(&child_, words[0], &files, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  close(theirs);
  if (failure != 0) {
    child_ = -1;
    close(channel_);
    fail("cannot be started");
  }
}

ChildProcess::~ChildProcess() {
  close(channel_);
  if (child_ < 0) return;
  // Most programs exit when the channel closes, and remove their temporary files before that.
  siginfo_t ended{};
  for (const Clock::time_point end = Clock::now() + std::chrono::seconds(3); Clock::now() < end && ended.si_pid == 0;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOHANG | WNOWAIT);  // WNOWAIT reserves the PID
  }
  kill(-child_, SIGKILL);
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::chrono::steady_clock::time_point ChildProcess::deadline() const {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(patience_));
}

void ChildProcess::write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!wait_for(channel_, POLLOUT, deadline())) fail(fmt::format("accepted no data for {:g} s", patience_));
    const ssize_t sent = send(channel_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(sent);
    } else if (errno != EINTR && errno != EAGAIN) {
      fail("ended too early");
    }
  }
}

std::string ChildProcess::read() {
  std::string bytes(1 << 16, '\0');
  const Clock::time_point end = deadline();
  for (;;) {
    if (!wait_for(channel_, POLLIN, end)) fail(fmt::format("did not answer within {:g} s", patience_));
    const ssize_t got = recv(channel_, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    bytes.resize(got > 0 ? got : 0);
    return bytes;
  }
}

int ChildProcess::finish() {
  shutdown(channel_, SHUT_WR);
  const Clock::time_point end = deadline();
  int status = 0;
  while (waitpid(child_, &status, WNOHANG) == 0) {
    require_no_interruption();
    if (Clock::now() > end) fail(fmt::format("did not end within {:g} s", patience_));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  child_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

void ChildProcess::fail(const std::string& what) const {
  std::fseek(log_.get(), 0, SEEK_END);
  const long longest = 800, size = std::ftell(log_.get());
  std::fseek(log_.get(), std::max(0L, size - longest), SEEK_SET);
  std::string words(longest, '\0');
  words.resize(std::fread(words.data(), 1, words.size(), log_.get()));
  throw std::runtime_error(name_ + " " + what + (words.empty() ? "" : "; its message: " + words));
}

namespace {

constexpr int most_deaths = 20;  // deaths in a row, per process, without any progress

void rest() {
  const timespec tenth{0, 100'000'000};
  nanosleep(&tenth, nullptr);
}

/// Returns the last kilobyte of a process's output.
std::string text_of(std::FILE* log) {
  constexpr long longest = 1000;
  std::fseek(log, 0, SEEK_END);
  const long size = std::ftell(log);
  std::fseek(log, std::max(0L, size - longest), SEEK_SET);
  std::string text(longest, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), log));
  return text;
}

/// Called in a new process: replaces it by the program `words[0]`, which gets SIGTERM when its parent ends for any
/// reason.
[[noreturn]] void become(char* const* words, pid_t parent, int input, int output) {
  setpgid(0, 0);  // a group of its own: Ctrl-C reaches only the parent, which then ends its workers
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  dup2(input, STDIN_FILENO);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) dup2(output, stream);
  if (getppid() == parent) execv(words[0], words);
  _exit(127);
}

}  // namespace

WorkerProcesses::WorkerProcesses(std::vector<std::string> command, int count) : command_(std::move(command)) {
  workers_.resize(count);
  for (Worker& worker : workers_) start(worker);
}

WorkerProcesses::~WorkerProcesses() { stop(); }

void WorkerProcesses::start(Worker& worker) {
  worker.log.reset(std::tmpfile());
  const int log = worker.log ? fileno(worker.log.get()) : -1, nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  std::vector<char*> words;
  for (std::string& word : command_) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t parent = getpid();
  worker.process = log < 0 || nothing < 0 ? -1 : fork();
  if (worker.process == 0) become(words.data(), parent, nothing, log);
  if (nothing >= 0) close(nothing);
  if (worker.process < 0) throw std::runtime_error("cannot start " + command_.front());
}

bool WorkerProcesses::any_left() {
  for (Worker& worker : workers_)
    if (worker.process > 0 && waitpid(worker.process, nullptr, WNOHANG) == worker.process) worker.process = -1;
  return std::ranges::any_of(workers_, [](const Worker& worker) { return worker.process > 0; });
}

void WorkerProcesses::stop() {
  constexpr int patience = 30;  // tenths of a second
  for (int tenths = 0; tenths < patience && any_left(); ++tenths) {
    if (tenths == 0) signal_all(SIGTERM);
    rest();
  }
  signal_all(SIGKILL);
  while (any_left()) rest();
}

void WorkerProcesses::signal_all(int signal) const {
  for (const Worker& worker : workers_)
    if (worker.process > 0) kill(-worker.process, signal);
}

int WorkerProcesses::wait(const std::function<long()>& look) {
  long done = look();
  int largest = 0;
  std::size_t deaths = 0;
  for (bool any = true; any; rest()) {
    any = false;
    require_no_interruption();
    if (const long now = look(); now > done) {
      done = now;
      deaths = 0;
    }
    for (Worker& worker : workers_) {
      if (worker.process < 0) continue;
      any = true;
      int status = 0;
      if (waitpid(worker.process, &status, WNOHANG) != worker.process) continue;
      worker.process = -1;
      if (WIFEXITED(status)) {
        largest = std::max(largest, WEXITSTATUS(status));
        if (WEXITSTATUS(status) > 1) throw std::runtime_error(text_of(worker.log.get()));
        continue;
      }
      if (++deaths > most_deaths * workers_.size())
        throw std::runtime_error("processes end again and again: " + text_of(worker.log.get()));
      start(worker);
    }
  }
  return largest;
}

}  // namespace pithball::app
