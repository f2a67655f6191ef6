// The program `pithball`.

#include "app/commands/program.hpp"
#include "experiments/commands/lab_commands.hpp"

int main(int argc, char** argv) {
  using namespace pithball;
  std::vector<app::Command> commands = app::user_commands();
  commands.insert(commands.end(), experiments::lab_commands().begin(), experiments::lab_commands().end());
  const app::Program program{
      "pithball",
      "Simulates bodies of masses, springs and charges, differentiates through the simulation, and finds the physical "
      "values that reproduce a recorded motion.",
      std::move(commands),
      "  pithball simulate experiments/configs/torus-release.yaml\n  pithball list keys\n  pithball simulate --help"};
  return app::run_program(program, argc, argv);
}
