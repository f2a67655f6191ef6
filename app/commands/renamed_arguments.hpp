#pragma once
#include <span>
#include <string>
#include <vector>

namespace pithball::app {

/// An option or a word of the command line that has a new name.
struct RenamedArgument {
  std::string command;  ///< of this command and those below it
  std::string before, now;
};

/// The arguments with today's names in place of old ones, and a note for each old name that was met.
struct CurrentArguments {
  std::vector<std::string> arguments, notes;
};
CurrentArguments replace_old_arguments(std::span<const std::string> arguments,
                                       std::span<const RenamedArgument> renamed);

}  // namespace pithball::app
