#include "app/base/worker_processes.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <stdexcept>

#include "app/base/interruption.hpp"

namespace pithball::app {
namespace {

constexpr int most_deaths = 20;  // of processes in a row, for each of them, while no work is done

void rest() {
  const timespec tenth{0, 100'000'000};
  nanosleep(&tenth, nullptr);
}

/// What a process printed, at most its last kilobyte.
std::string text_of(std::FILE* log) {
  constexpr long longest = 1000;
  std::fseek(log, 0, SEEK_END);
  const long size = std::ftell(log);
  std::fseek(log, std::max(0L, size - longest), SEEK_SET);
  std::string text(longest, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), log));
  return text;
}

}  // namespace

WorkerProcesses::WorkerProcesses(std::vector<std::string> command, int count) : command_(std::move(command)) {
  workers_.resize(count);
  for (Worker& worker : workers_) start(worker);
}

WorkerProcesses::~WorkerProcesses() { stop(); }

void WorkerProcesses::start(Worker& worker) {
  worker.log.reset(std::tmpfile());
  if (!worker.log) throw std::runtime_error("cannot create a temporary file");
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_adddup2(&files, fileno(worker.log.get()), output);
  // A group of its own: Ctrl-C reaches this program alone, which then ends its workers.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<char*> words;
  for (std::string& word : command_) words.push_back(word.data());
  words.push_back(nullptr);
  const int failure = posix_spawn(&worker.process, words[0], &files, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failure == 0) return;
  worker.process = -1;
  throw std::runtime_error("cannot start " + command_.front());
}

void WorkerProcesses::stop() {
  for (const Worker& worker : workers_)
    if (worker.process > 0) kill(-worker.process, SIGKILL);  // whatever they do appears at once or not at all
  for (Worker& worker : workers_) {
    while (worker.process > 0 && waitpid(worker.process, nullptr, 0) < 0 && errno == EINTR) {
    }
    worker.process = -1;
  }
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
