#include "app/base/progress.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "app/base/interruption.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/terminal.hpp"

using namespace pithball::app;

namespace {

enum class Reader { Pipe, Terminal, Gone };

/// Puts a pipe or a terminal in the place of standard error while it lives.
class CaughtErrors {
 public:
  explicit CaughtErrors(Reader reader) : old_(dup(STDERR_FILENO)) {
    int write_end = -1;
    if (reader == Reader::Terminal) {
      read_end_ = pithball::tests::open_terminal();
      write_end = open(ptsname(read_end_), O_RDWR | O_NOCTTY);
    } else {
      int ends[2];
      if (pipe(ends) != 0) throw std::runtime_error("no pipe");
      read_end_ = ends[0];
      write_end = ends[1];
    }
    std::fflush(stderr);
    dup2(write_end, STDERR_FILENO);
    close(write_end);
    fcntl(read_end_, F_SETFL, O_NONBLOCK);
    if (reader == Reader::Gone) {
      close(read_end_);
      read_end_ = -1;
    }
  }
  ~CaughtErrors() {
    std::fflush(stderr);
    dup2(old_, STDERR_FILENO);
    close(old_);
    if (read_end_ >= 0) close(read_end_);
  }
  CaughtErrors(const CaughtErrors&) = delete;
  CaughtErrors& operator=(const CaughtErrors&) = delete;

  /// What was written since the last call.
  std::string text() const {
    std::fflush(stderr);
    std::string all;
    char part[512];
    for (ssize_t n; (n = ::read(read_end_, part, sizeof part)) > 0;) all.append(part, static_cast<std::size_t>(n));
    return all;
  }

 private:
  int old_, read_end_ = -1;
};

std::string shown(Reader reader, bool wanted, Progress::Piped piped) {
  const CaughtErrors errors(reader);
  Progress bar("work", 40, wanted, piped);
  for (int k = 0; k <= 40; ++k) bar.update(k);
  return errors.text();
}

std::string said_at_signal(Reader reader, int signal, const char* message) {
  const CaughtErrors errors(reader);
  const Interruption interruption(message);
  std::raise(signal);
  return interruption.requested() ? errors.text() : "";
}

}  // namespace

TEST_CASE("progress: in a pipe there is nothing, or a line for each tenth of the work", "[app][progress]") {
  CHECK(shown(Reader::Pipe, true, Progress::Piped::Silent).empty());
  CHECK(shown(Reader::Pipe, false, Progress::Piped::Lines).empty());
  const std::string lines = shown(Reader::Pipe, true, Progress::Piped::Lines);
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 10);
  CHECK(lines.find("work: 10 %, ") == 0);
  CHECK(lines.find("\nwork: 100 %, ") != std::string::npos);
  CHECK(lines.find('\x1b') == std::string::npos);
}

TEST_CASE("progress: a terminal shows a bar from the first moment on, unless none is wanted", "[app][progress]") {
  pithball::tests::require_terminal();
  CHECK(shown(Reader::Terminal, false, Progress::Piped::Lines).empty());
  const CaughtErrors errors(Reader::Terminal);
  Progress bar("work", 40, true);
  bar.update(0);
  CHECK(errors.text().find("work [....") != std::string::npos);
}

TEST_CASE("interruption: the first signal is answered at once", "[app][interruption]") {
  for (const int signal : {SIGINT, SIGTERM})
    for (const char* message : {Interruption::work_is_kept, Interruption::unfinished_is_removed})
      CHECK(said_at_signal(Reader::Pipe, signal, message) == message);
}

TEST_CASE("interruption: on a terminal the answer to a signal takes the place of a progress bar",
          "[app][interruption]") {
  pithball::tests::require_terminal();
  CHECK(said_at_signal(Reader::Terminal, SIGINT, Interruption::work_is_kept).find("\r\x1b[KStopping after") == 0);
}

TEST_CASE("interruption: a request that is sent twice at once, as timeout does, does not end the program",
          "[app][interruption]") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const CaughtErrors errors(Reader::Pipe);
    const Interruption interruption;
    std::raise(signal);
    std::raise(signal);
    CHECK(interruption.requested());
    CHECK(errors.text() == Interruption::work_is_kept);
  }
}

TEST_CASE("interruption: an inner one speaks for itself only", "[app][interruption]") {
  const CaughtErrors errors(Reader::Pipe);
  const Interruption outer;
  { const Interruption inner(Interruption::unfinished_is_removed); }
  std::raise(SIGINT);
  CHECK(errors.text() == Interruption::work_is_kept);
}

TEST_CASE("interruption: one that begins while another lasts keeps the request, in whatever order they end",
          "[app][interruption]") {
  const CaughtErrors errors(Reader::Pipe);
  auto first = std::make_unique<Interruption>();
  const Interruption second;
  first.reset();
  std::raise(SIGINT);
  const Interruption third;
  CHECK(third.requested());
}

TEST_CASE("interruption: a reader that is gone does not end the program", "[app][interruption]") {
  const CaughtErrors errors(Reader::Gone);
  const Interruption interruption;
  std::raise(SIGINT);
  CHECK(interruption.requested());
}
