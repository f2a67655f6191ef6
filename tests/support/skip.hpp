#pragma once
#include <cstdio>
#include <string>

#include "tests/support/catch.hpp"

namespace pithball::tests {

/// Exit status of a test program in which a test was skipped and none failed; tests/CMakeLists.txt tells it to CTest.
inline constexpr int skip_status = 77;

/// Whether a test of this program was skipped.
inline bool any_skipped = false;

/// Ends the test as skipped, because this machine lacks what the test needs. `reason` says what that is, in the same
/// words for all tests that lack it: tests/run_tests.py lists the tests of each reason. To be called outside
/// assertions. What has failed before the call stays failed.
[[noreturn]] inline void skip(const std::string& reason) {
  std::printf("skipped: %s\n", reason.c_str());
  std::fflush(stdout);
  any_skipped = true;
  // What Catch throws to leave a test after a failed REQUIRE. The assertion is what fails the test, and here is none.
  throw Catch::TestFailureException();
}

}  // namespace pithball::tests
