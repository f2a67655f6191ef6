#include "app/commands/renamed_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pithball::app {
namespace {

/// "--color" and "--color=speed" are the option `--color`.
bool is_named(const std::string& argument, const std::string& name) {
  return argument == name || (name.starts_with("--") && argument.starts_with(name + "="));
}

}  // namespace

CurrentArguments replace_old_arguments(std::span<const std::string> arguments,
                                       std::span<const RenamedArgument> renamed) {
  CurrentArguments current{{arguments.begin(), arguments.end()}, {}};
  for (const RenamedArgument& name : renamed) {
    const auto command = std::ranges::find(current.arguments, name.command);
    bool met = false;
    for (auto argument = command; argument != current.arguments.end(); ++argument) {
      if (argument == command || !is_named(*argument, name.before)) continue;
      argument->replace(0, name.before.size(), name.now);
      met = true;
    }
    if (met)
      current.notes.push_back(
          fmt::format("{}: '{}' is now '{}'; the old name is still read", name.command, name.before, name.now));
  }
  return current;
}

}  // namespace pithball::app
