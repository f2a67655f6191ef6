// The program `pithball`.

#include "app/commands/lab_verbs.hpp"
#include "app/commands/program.hpp"

int main(int argc, char** argv) {
  using namespace pithball::app;
  if (is_lab_verb(argc, argv)) return start_lab(argv);
  return run_program(
      {"pithball",
       "Simulates bodies of masses, springs and charges, differentiates through the simulation, and finds the "
       "physical values that reproduce a recorded motion.",
       user_commands(),
       "  pithball simulate experiments/configs/torus-release.yaml\n  pithball list keys\n"
       "  pithball simulate --help",
       lab_verbs()},
      argc, argv);
}
