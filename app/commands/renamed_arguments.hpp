#pragma once
#include <span>
#include <string>
#include <vector>

namespace pithball::app {

/// An option or a word of the command line that was renamed.
struct RenamedArgument {
  std::string command;  ///< applies to this command and its subcommands
  std::string before,   ///< as it was: "--colour"
      now;              ///< as it is: "--color"
};

/// The arguments with earlier names replaced, and a note for each earlier name.
struct CurrentArguments {
  std::vector<std::string> arguments,  ///< with current names
      notes;                           ///< one sentence for each earlier name
};
/// Replaces earlier names behind the word of their command, also in the form `--name=value`.
CurrentArguments replace_old_arguments(std::span<const std::string> arguments,
                                       std::span<const RenamedArgument> renamed);

}  // namespace pithball::app
