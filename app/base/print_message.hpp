#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace pithball::app {

/// Prints a message for the user on standard error. If it cannot be written, for example to a log on a full disk, only
/// the message is lost: no work depends on it.
template <class... Values>
void print_message(fmt::format_string<Values...> message, Values&&... values) {
  const std::string text = fmt::format(message, std::forward<Values>(values)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace pithball::app
