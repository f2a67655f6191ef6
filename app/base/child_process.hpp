#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pithball::app {

/// A program of the system that a command needs.
struct NeededProgram {
  std::vector<std::string> names;  ///< what it may be called, tried in this order
  std::string variable;            ///< environment variable that may name it instead; empty: none
  std::string package;             ///< Debian's package that holds it
  std::string purpose;             ///< "videos", for the complaint
};

/// Where the program is: what its variable names, or the first of its names on PATH. Throws InvalidArgument if absent.
std::filesystem::path find_program(const NeededProgram& needed);

/// A program that runs beside ours, joined to it by one two-way channel. It ends with the object, at the latest.
/// All waiting has an end: after `patience` seconds without progress, or a signal that an Interruption has caught, a
/// call throws std::runtime_error.
class ChildProcess {
 public:
  /// Starts `command` without a shell. `descriptors` are the child's numbers of the channel ({0}: its standard
  /// input). What it prints is kept for complaints.
  ChildProcess(std::vector<std::string> command, const std::vector<int>& descriptors, double patience);
  /// Closes the channel and gives the child three seconds to end by itself, then ends it and its own children.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Hands all bytes over; throws std::runtime_error if the child does not take them.
  void write(std::string_view bytes);
  /// Some bytes as soon as there are any; empty once the child has closed the channel.
  std::string read();
  /// Tells the child that nothing more comes, waits for its end and returns its exit status (128 for a signal).
  int finish();
  /// Throws std::runtime_error: "<program> <what>", with the last of what it printed.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  /// When patience ends that begins now.
  std::chrono::steady_clock::time_point deadline() const;

  std::string name_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> log_;
  double patience_;
  int channel_ = -1;
  pid_t child_ = -1;
};

}  // namespace pithball::app
