#pragma once
// Terminals for tests, where they can be had.

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/skip.hpp"

namespace pithball::tests {

/// The reading end of a new terminal. Skips the test where none can be had, as in a root without /dev/pts.
inline int open_terminal() {
  const int end = posix_openpt(O_RDWR | O_NOCTTY);
  if (end >= 0 && grantpt(end) == 0 && unlockpt(end) == 0 && access(ptsname(end), R_OK | W_OK) == 0) return end;
  if (end >= 0) close(end);
  skip("no terminal: /dev/pts is not mounted");
}

/// Skips the test where no terminal can be had. To be called outside assertions, as `skip`.
inline void require_terminal() { close(open_terminal()); }

}  // namespace pithball::tests
