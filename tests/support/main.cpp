// The main of every test program: Catch's, with an exit status for skipped tests, which Catch2 2.13 does not know.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#define CATCH_CONFIG_RUNNER  // version 2: its implementation goes here; version 3 brings a library
#include "tests/support/skip.hpp"

namespace {

/// User and system time of this program [s], or of the programs that it ran.
double processor_seconds(int whose) {
  rusage used;
  getrusage(whose, &used);
  const auto seconds = [](const timeval& t) { return t.tv_sec + 1e-6 * t.tv_usec; };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  using pithball::tests::any_skipped, pithball::tests::skip_status;
  const int status = Catch::Session().run(argc, argv);
  // A list of tests is read by CMake, for which each line is one.
  if (std::any_of(argv, argv + argc, [](std::string_view word) { return word.starts_with("--list"); })) return status;
  // For tests/run_tests.py, which lists quick tests that are not.
  std::printf("processor time: %.1f s\n", processor_seconds(RUSAGE_SELF) + processor_seconds(RUSAGE_CHILDREN));
  if (status == 0) return any_skipped ? skip_status : 0;
  return status == skip_status ? 1 : status;  // Catch returns the number of failed assertions
}
