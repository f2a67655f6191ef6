#pragma once
#include <string>

#include "sim/core/error.hpp"

namespace pithball::test {

/// What InvalidArgument says when f is called; empty if f is content.
template <class Function>
std::string complaint(Function f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

}  // namespace pithball::test
