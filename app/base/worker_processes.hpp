#pragma once
#include <sys/types.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pithball::app {

/// Several processes of one command that share work among themselves. A process that a signal ends is started again;
/// the others go on. All end with this object, or when this program is killed.
class WorkerProcesses {
 public:
  /// Starts `count` processes of `command`, without a shell and without input.
  WorkerProcesses(std::vector<std::string> command, int count);
  ~WorkerProcesses();
  WorkerProcesses(const WorkerProcesses&) = delete;
  WorkerProcesses& operator=(const WorkerProcesses&) = delete;

  /// Waits until every process has ended by itself; calls `look` several times a second, which returns a number that
  /// grows while work is done. Returns the largest exit status. Ends all processes and throws std::runtime_error after
  /// a signal caught by an Interruption, or if processes end by signals many times in a row while no work is done.
  int wait(const std::function<long()>& look);

 private:
  struct Worker {
    pid_t process = -1;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> log{nullptr, &std::fclose};  ///< what it prints
  };
  void start(Worker& worker);
  bool any_left();
  void signal_all(int signal) const;
  /// Asks all to stop, and ends after three seconds those that have not.
  void stop();

  std::vector<std::string> command_;
  std::vector<Worker> workers_;
};

}  // namespace pithball::app
