#pragma once
#include <cstdio>
#include <string>

namespace pithball {

/// A number as people write it in messages: shortest of up to six digits ("-2", "1e-09", "nan").
inline std::string to_text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

}  // namespace pithball
