#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pithball::app {

/// A program of the system that a command needs.
struct NeededProgram {
  std::vector<std::string> names;  ///< possible names, tried in this order
  std::string variable;            ///< environment variable that can name it instead; empty: none
  std::string package;             ///< Debian package that contains it
  std::string purpose;             ///< for the error message: "videos"
};

/// Path of the program: its environment variable, or the first of its names on PATH. Throws InvalidArgument if there is
/// none.
std::filesystem::path find_program(const NeededProgram& needed);

/// A child process with one two-way channel to ours. It ends with this object at the latest. Every call throws
/// std::runtime_error after `patience` seconds without progress, or after a signal caught by an Interruption.
class ChildProcess {
 public:
  /// Starts `command` without a shell. `descriptors`: the child's file descriptors of the channel ({0}: its standard
  /// input). Its output is kept for error messages.
  ChildProcess(std::vector<std::string> command, const std::vector<int>& descriptors, double patience);
  /// Closes the channel and gives the child three seconds to end by itself, then ends it and its own children.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Sends all bytes; throws std::runtime_error if the child does not accept them.
  void write(std::string_view bytes);
  /// Returns bytes as soon as there are any; empty once the child has closed the channel.
  std::string read();
  /// Closes our sending side, waits for the child to end and returns its exit status (128 for a signal).
  int finish();
  /// Throws std::runtime_error: "<program> <what>", with the end of its output.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  /// The deadline of a wait that begins now.
  std::chrono::steady_clock::time_point deadline() const;

  std::string name_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> log_;
  double patience_;
  int channel_ = -1;
  pid_t child_ = -1;
};

/// Several processes of one command that share work among themselves. A process that a signal ends is started again;
/// the others continue. All end with this object, or when this program is killed.
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
