#include "app/base/interruption.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <mutex>
#include <stdexcept>

namespace pithball::app {
namespace {

std::atomic<int> first_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);
std::atomic<bool> asked{false};  // lock-free, hence safe in a signal handler
static_assert(std::atomic<bool>::is_always_lock_free);
std::atomic<const char*> message_at_signal{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free);
std::atomic<bool> over_a_bar{false};  // stderr is a terminal that may show a progress bar

/// Prints the message; calls only async-signal-safe functions.
void say_that_it_stops() {
  const int error = errno;
  const auto old_pipe = std::signal(SIGPIPE, SIG_IGN);  // Ctrl-C may already have ended the reader of a pipe
  const auto print = [](const char* text) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text));  // may fail: it stops anyway
  };
  if (over_a_bar) print("\r\x1b[K");
  if (const char* const message = message_at_signal) print(message);
  std::signal(SIGPIPE, old_pipe);
  errno = error;
}

/// Further signals within this time after the first one are part of the same request: `timeout` signals both the
/// program and its process group.
constexpr double same_request = 0.5;  // [s]

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1000000000.0;
}

std::atomic<double> first_at{0};
static_assert(std::atomic<double>::is_always_lock_free);

extern "C" void ask_to_stop(int signal) {
  if (!asked.exchange(true)) {
    first_at = seconds();
    first_signal = signal;
    say_that_it_stops();
  } else if (seconds() - first_at > same_request) {
    std::signal(signal, SIG_DFL);
    raise(signal);
  }
}

std::mutex listening;  // guards the variables below: Python runs several simulations in threads
int listeners = 0;
// Restored with sigaction: `std::signal` would set SA_RESTART for Python's handler, and Ctrl-C would no longer
// interrupt its waits.
struct sigaction old_int, old_term;

struct sigaction listen_for(int signal) {
  struct sigaction asking {};
  struct sigaction old {};
  asking.sa_handler = ask_to_stop;
  asking.sa_flags = SA_RESTART;
  sigemptyset(&asking.sa_mask);
  sigaction(signal, &asking, &old);
  return old;
}

/// Handles SIGTERM while there is nothing to save: prints a message and ends the program. (On Ctrl-C the shell shows
/// one, for `timeout` it does not.)
extern "C" void end_with_a_word(int signal) {
  message_at_signal = "Ended by SIGTERM.\n";
  say_that_it_stops();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

Interruption::Interruption(const char* message) {
  const std::lock_guard alone(listening);
  old_message_ = message_at_signal.exchange(message);
  if (listeners++ > 0) return;
  asked = false;
  first_signal = 0;
  over_a_bar = isatty(STDERR_FILENO) != 0;
  old_int = listen_for(SIGINT);
  old_term = listen_for(SIGTERM);
}

Interruption::~Interruption() {
  const std::lock_guard alone(listening);
  message_at_signal = old_message_;
  if (--listeners > 0) return;
  sigaction(SIGINT, &old_int, nullptr);
  sigaction(SIGTERM, &old_term, nullptr);
}

const std::atomic<bool>& Interruption::flag() { return asked; }
int Interruption::signal() { return first_signal; }
void Interruption::request() { asked = true; }

void announce_termination() {
  over_a_bar = isatty(STDERR_FILENO) != 0;
  std::signal(SIGTERM, end_with_a_word);
}

void require_no_interruption() {
  if (asked) throw std::runtime_error("interrupted");
}

}  // namespace pithball::app
