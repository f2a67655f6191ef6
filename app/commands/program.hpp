#pragma once
#include <string>
#include <vector>

#include "app/commands/command.hpp"

namespace pithball::app {

/// A program of commands, as the shell and `--help` show it.
struct Program {
  const char* name;                           ///< "pithball"
  const char* summary;                        ///< what it does, in a sentence
  std::vector<Command> commands;              ///< in the order of the help page
  const char* examples;                       ///< of the help page, a line each
  std::vector<std::string> elsewhere = {};    ///< commands of another program, which this one starts
  std::vector<RenamedArgument> renamed = {};  ///< old names of options and commands
};

/// Reads the command line, runs one command, and returns what the shell is told: an ExitStatus.
int run_program(const Program& program, int argc, char** argv);

}  // namespace pithball::app
