#pragma once
#include <string>
#include <vector>

#include "app/commands/command.hpp"

namespace pithball::app {

/// A command-line program and the data for its `--help`.
struct Program {
  const char* name;                         ///< "pithball"
  const char* summary;                      ///< what it does, in a sentence
  std::vector<Command> commands;            ///< in the order of the help page
  const char* examples;                     ///< of the help page, a line each
  std::vector<std::string> elsewhere = {};  ///< commands of another program, which this one then starts
};

/// Parses the command line, runs one command, and returns the exit status (ExitStatus).
int run_program(const Program& program, int argc, char** argv);

}  // namespace pithball::app
