// The program `pithball`: reads the command line, runs one command, tells the shell how it went.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <utility>

#include "datasets/h5md.hpp"
#include "experiments/commands/command.hpp"
#include "experiments/version.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {
namespace {

/// Wrong usage is wrong input; asking for help or the version is not.
int report_usage(const CLI::App& parser, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return parser.exit(error);
  const CLI::App* command = &parser;
  std::string name = parser.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  fmt::print(stderr, "{}: {}; run `{} --help`\n", name, error.what(), name);
  return InputWrong;
}

int run(int argc, char** argv) {
  CLI::App parser{
      "Simulates bodies of masses, springs and charges, differentiates through the simulation, and finds the physical "
      "values that reproduce a recorded motion."};
  parser.name("pithball");
  parser.set_version_flag("--version", std::string("pithball ") + version);
  parser.require_subcommand(1);
  parser.footer(help_footer(
      "  pithball simulate experiments/configs/torus-release.yaml\n  pithball list keys\n  pithball simulate --help"));
  std::vector<std::pair<CLI::App*, Action>> actions;
  for (const Command& command : commands()) {
    CLI::App* sub = parser.add_subcommand(command.name, command.summary);
    actions.emplace_back(sub, command.declare(*sub));
  }
  try {
    parser.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_usage(parser, error);
  }
  for (const auto& [sub, action] : actions)
    if (sub->parsed()) return action();
  return InputWrong;
}

}  // namespace
}  // namespace pithball::experiments

int main(int argc, char** argv) {
  using namespace pithball;
  datasets::leave_hdf5_at_exit();
  try {
    return experiments::run(argc, argv);
  } catch (const InvalidArgument& error) {
    fmt::print(stderr, "{}\n", error.what());
    return experiments::InputWrong;
  } catch (const std::exception& error) {  // out of memory, a full disk, our own bug
    fmt::print(stderr, "pithball: {}\n", error.what());
    return experiments::NumbersFailed;
  }
}
