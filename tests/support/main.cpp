// The main of every test program: Catch's, with an exit status for skipped tests, which Catch2 2.13 does not know.
#define CATCH_CONFIG_RUNNER  // version 2: its implementation goes here; version 3 brings a library
#include "tests/support/skip.hpp"

int main(int argc, char** argv) {
  using pithball::tests::any_skipped, pithball::tests::skip_status;
  const int status = Catch::Session().run(argc, argv);
  if (status == 0) return any_skipped ? skip_status : 0;
  return status == skip_status ? 1 : status;  // Catch returns the number of failed assertions
}
