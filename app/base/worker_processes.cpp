#include "app/base/worker_processes.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
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

/// In a new process: the program `words[0]`, which is asked to stop when its parent is gone, however that ended.
[[noreturn]] void become(char* const* words, pid_t parent, int input, int output) {
  setpgid(0, 0);  // a group of its own: Ctrl-C reaches the parent alone, which then ends its workers
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
