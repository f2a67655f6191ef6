#pragma once
#include <string>

#include "tests/support/catch.hpp"

namespace pithball::testing {

/// Checks that a complaint holds these words.
inline void says(const std::string& message, const std::string& words) {
  CAPTURE(message, words);
  CHECK(message.find(words) != std::string::npos);
}

}  // namespace pithball::testing
